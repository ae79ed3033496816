"""What a right benchmark of the simulated device reports, and which mistake a wrong one shows."""

import math

from shared.simulated_device import LAUNCH_US, SimulatedDevice

NEAR = 0.02
"""Relative: launching, synchronising and reading the clock take some microseconds of each millisecond."""


def durations(make, count: int, low_ms: float = 2.0, high_ms: float = 6.0) -> list[float]:
    """One duration for each call of the workload, all different."""
    return [float(value) for value in make.uniform(count, low=low_ms, high=high_ms)]


def check_form(expect, result, num_trials: int) -> list[float]:
    """The result has the three fields, with one finite number for each trial; the times."""
    fields = ("times_ms", "mean_ms", "min_ms")
    expect.that(
        isinstance(result, dict) and all(field in result for field in fields),
        found=_kind(result),
        expected='a dict with "times_ms", "mean_ms" and "min_ms"',
    )
    times = result["times_ms"]
    expect.that(
        isinstance(times, (list, tuple)) and all(_is_number(t) for t in times),
        found=_kind(times),
        expected='"times_ms" to be a list of finite numbers',
    )
    expect.that(
        len(times) == num_trials,
        found=f"{len(times)} times",
        expected="one time for each trial",
        hint="Keep every trial: the mean alone hides the spread.",
    )
    for field in ("mean_ms", "min_ms"):
        expect.that(
            _is_number(result[field]),
            found=_kind(result[field]),
            expected=f'"{field}" to be a finite number',
        )
    return list(times)


def check_result(
    expect, result, device: SimulatedDevice, work_ms: list[float], num_warmups: int, num_trials: int
) -> None:
    """Form, number of calls, each time, mean and minimum, in this order."""
    times = check_form(expect, result, num_trials)
    expect.that(
        device.runs == num_warmups + num_trials,
        found=f"{device.runs} calls of run()",
        expected="run() to be called num_warmups + num_trials times",
        hint="Warm-up calls are extra calls whose time is not kept.",
    )
    truth = work_ms[num_warmups : num_warmups + num_trials]
    for position, (found, right) in enumerate(zip(times, truth, strict=True)):
        expect.that(
            abs(found - right) <= NEAR * right,
            found=f"{found:.4g} ms for trial {position}",
            expected=f"the duration of trial {position} alone",
            hint=mistake(found, right, position, times, truth),
        )
    mean, least = sum(times) / len(times), min(times)
    expect.that(
        math.isclose(result["mean_ms"], mean, rel_tol=1e-6),
        found=f"{result['mean_ms']:.6g}",
        expected='"mean_ms" to be the mean of "times_ms"',
    )
    expect.that(
        math.isclose(result["min_ms"], least, rel_tol=1e-6),
        found=f"{result['min_ms']:.6g}",
        expected='"min_ms" to be the smallest of "times_ms"',
    )


def mistake(found: float, right: float, position: int, times: list[float], truth: list[float]) -> str:
    """The mistake that explains a wrong time."""
    launch_ms = LAUNCH_US / 1e3
    if found <= 5 * launch_ms:
        return "That is the time of a launch: run() only queues work. Synchronise before the clock stops."
    if abs(found / 1e3 - right) <= NEAR * right or abs(found * 1e3 - right) <= NEAR * right:
        return "The unit is milliseconds."
    if abs(found - sum(truth)) <= NEAR * sum(truth):
        return "That is the time of all trials together: start and stop the clock for each one."
    if len(set(times)) == 1 and len(times) > 1:
        return "Every trial shows the same number, but the trials differ: time each one by itself."
    if position == 0 and found > right:
        return (
            "The first trial is too long: work from before is still running, or the first call's own cost is in it. "
            "Finish the warm-up, and synchronise, before the clock starts."
        )
    if found > right:
        return "A trial holds more than its own work: synchronise before the clock starts."
    return "Part of the work is missing: synchronise after run(), before the clock stops."


def _is_number(value) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _kind(value) -> str:
    return f"{type(value).__name__}" if not hasattr(value, "found") else str(value.found)
