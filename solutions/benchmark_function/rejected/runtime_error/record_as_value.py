import torch


def benchmark(description, run, num_warmups, num_trials):
    for _ in range(num_warmups):
        run()
    times_ms = []
    for _ in range(num_trials):
        start = torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        end = torch.cuda.Event(enable_timing=True).record()
        torch.cuda.synchronize()
        times_ms.append(start.elapsed_time(end))
    return {"times_ms": times_ms, "mean_ms": sum(times_ms) / len(times_ms), "min_ms": min(times_ms)}
