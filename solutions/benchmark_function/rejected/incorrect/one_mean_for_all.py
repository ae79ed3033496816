import time

import torch


def benchmark(description, run, num_warmups, num_trials):
    for _ in range(num_warmups):
        run()
    torch.cuda.synchronize()
    start = time.time()
    for _ in range(num_trials):
        run()
    torch.cuda.synchronize()
    times_ms = [(time.time() - start) * 1000 / num_trials] * num_trials
    return {"times_ms": times_ms, "mean_ms": sum(times_ms) / len(times_ms), "min_ms": min(times_ms)}
