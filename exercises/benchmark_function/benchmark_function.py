"""Measure how long a function takes on a GPU. See README.md."""

from collections.abc import Callable


def benchmark(description: str, run: Callable[[], object], num_warmups: int, num_trials: int) -> dict[str, object]:
    """Call `run` num_warmups times without measuring, then measure num_trials calls one by one.

    Returns {"times_ms": [one float per trial, in order], "mean_ms": float, "min_ms": float}.
    """
    # TODO: warm up, then time each trial. What has to happen before the clock starts, and before it stops?
    raise NotImplementedError
