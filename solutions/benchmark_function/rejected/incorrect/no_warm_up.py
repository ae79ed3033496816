import time

import torch


def benchmark(description, run, num_warmups, num_trials):
    times_ms = []
    for _ in range(num_trials):
        torch.cuda.synchronize()
        start = time.time()
        run()
        torch.cuda.synchronize()
        times_ms.append((time.time() - start) * 1000)
    return {"times_ms": times_ms, "mean_ms": sum(times_ms) / len(times_ms), "min_ms": min(times_ms)}
