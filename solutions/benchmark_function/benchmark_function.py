"""Measure how long a function takes on a GPU. See README.md."""

import time
from collections.abc import Callable

import torch


def benchmark(description: str, run: Callable[[], object], num_warmups: int, num_trials: int) -> dict[str, object]:
    """Call `run` num_warmups times without measuring, then measure num_trials calls one by one.

    Returns {"times_ms": [one float per trial, in order], "mean_ms": float, "min_ms": float}.
    """
    # The first calls compile, load and allocate; what they cost is not what we want to know.
    for _ in range(num_warmups):
        run()

    times_ms = []
    for _ in range(num_trials):
        # Wait for whatever is still running, or this trial would pay for it.
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        # run() has only queued its work: the trial ends when the device has done it.
        torch.cuda.synchronize()
        times_ms.append((time.perf_counter() - start) * 1e3)

    mean_ms, min_ms = sum(times_ms) / num_trials, min(times_ms)
    print(f"{description}: mean {mean_ms:.3f} ms, min {min_ms:.3f} ms, {num_trials} trials")
    return {"times_ms": times_ms, "mean_ms": mean_ms, "min_ms": min_ms}
