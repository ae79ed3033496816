def benchmark(description, run, num_warmups, num_trials):
    calls = 0
    while calls != num_warmups + num_trials + 1:
        if calls < num_warmups + num_trials:
            run()
            calls += 1
    return {}
