from datetime import datetime

import torch


def benchmark(description, run, num_warmups, num_trials):
    for _ in range(num_warmups):
        run()
    times_ms = []
    for _ in range(num_trials):
        torch.cuda.synchronize()
        start = datetime.now()
        run()
        torch.cuda.synchronize()
        times_ms.append((datetime.now() - start).total_seconds() * 1000)
    return {"times_ms": times_ms, "mean_ms": sum(times_ms) / len(times_ms), "min_ms": min(times_ms)}
