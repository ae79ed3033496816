import time

import torch


def benchmark(description, run, num_warmups, num_trials):
    for _ in range(num_warmups):
        run()
    times_ms = []
    for _ in range(num_trials):
        torch.cuda.synchronize()
        event = torch.cuda.Event()
        event.record()
        start = time.perf_counter()
        run()
        event.synchronize()
        times_ms.append((time.perf_counter() - start) * 1000)
    return {"times_ms": times_ms, "mean_ms": sum(times_ms) / len(times_ms), "min_ms": min(times_ms)}
