def benchmark(description, run, num_warmups, num_trials):
    total = num_warmups + num_trials
    raise NotImplementedError
