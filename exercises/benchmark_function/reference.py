"""What a right benchmark of the simulated device reports, and which mistake a wrong one shows."""

import math
from collections.abc import Mapping

from shared.simulated_device import LAUNCH_US, SimulatedDevice

NEAR = 0.02
"""Relative: launching, synchronising and reading the clock take some microseconds of each millisecond."""

NEAR_MS = 0.02
"""And this much more, in milliseconds: for who synchronises twice, or rounds to two digits."""

SCALES = (1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9)
"""What a time in another unit is off by."""

FIELDS = ("times_ms", "mean_ms", "min_ms")


def durations(make, count: int, low_ms: float = 2.0, high_ms: float = 6.0) -> list[float]:
    """One duration for each call of the workload, all different."""
    return [float(value) for value in make.uniform(count, low=low_ms, high=high_ms)]


def check_form(expect, result, num_trials: int) -> list[float]:
    """The result has the three fields, with one finite number for each trial; the times."""
    problem = _not_fields(result)
    expect.that(
        not problem,
        found=problem,
        expected='a dict with "times_ms", "mean_ms" and "min_ms"',
        hint="Does every path of the function end with `return`?" if problem == "None" else "",
    )
    times = result["times_ms"]
    problem = _not_times(times)
    expect.that(
        not problem,
        found=problem,
        expected='"times_ms" to be a list of finite numbers',
        hint="" if isinstance(times, (list, tuple)) else "`.tolist()` makes a list of an array or a tensor.",
    )
    expect.that(
        len(times) == num_trials,
        found=f"{len(times)} times",
        expected="one time for each trial",
        hint="Keep every trial: the mean alone hides the spread.",
    )
    for field in FIELDS[1:]:
        problem = _not_a_number(result[field])
        expect.that(not problem, found=problem, expected=f'"{field}" to be a finite number')
    return [float(t) for t in times]


def check_result(
    expect, result, device: SimulatedDevice, work_ms: list[float], num_warmups: int, num_trials: int
) -> None:
    """Form, number of calls, each time, mean and minimum, in this order."""
    times = check_form(expect, result, num_trials)
    expect.that(
        device.runs == num_warmups + num_trials,
        found=f"{device.runs} calls of run()",
        expected="run() to be called num_warmups + num_trials times",
        hint="Warm-up calls are extra calls whose time is not kept."
        if device.runs < num_warmups + num_trials
        else "Each trial is one call of run(); before them, the warm-up makes num_warmups calls.",
    )
    truth = work_ms[num_warmups : num_warmups + num_trials]
    for position, (found, right) in enumerate(zip(times, truth, strict=True)):
        expect.that(
            is_near(found, right),
            found=f"{found:.4g} ms for trial {position}",
            expected=f"the duration of trial {position} alone",
            hint=mistake(times, truth, position, device.log),
        )
    for field, right, what in (("mean_ms", sum(times) / len(times), "mean"), ("min_ms", min(times), "smallest")):
        expect.that(
            math.isclose(result[field], right, rel_tol=1e-4, abs_tol=0.01),
            found=f"{float(result[field]):.6g}",
            expected=f'"{field}" to be the {what} of "times_ms"',
        )


def is_near(found: float, right: float) -> bool:
    """Whether a time passes for the true one."""
    return abs(found - right) <= NEAR * right + NEAR_MS


def mistake(times: list[float], truth: list[float], position: int, log: list[str]) -> str:
    """The mistake that explains the wrong time of a trial: from the calls that were made, then from the numbers."""
    if "clock" not in log and "mark" not in log:
        return "No simulated clock was read: use time.perf_counter (README.md names the clocks)."
    before, after = _around(log, len(truth) - position)
    found, right = times[position], truth[position]
    return _wrong_unit(found, right) or _in_calls(before, after, found, right) or _in_numbers(times, truth, position)


def _around(log: list[str], from_last: int) -> tuple[list[str], list[str]]:
    """The calls between the run of a trial and the runs before and after it."""
    runs = [-1, *(i for i, call in enumerate(log) if call == "run"), len(log)]
    here = len(runs) - 1 - from_last
    return log[runs[here - 1] + 1 : runs[here]], log[runs[here] + 1 : runs[here + 1]]


def _wrong_unit(found: float, right: float) -> str:
    if any(abs(found - right * scale) <= NEAR * right * scale for scale in SCALES):
        return "The time is right, but its unit is not milliseconds: clocks give seconds, events milliseconds."
    if is_near(-found, right):
        return "The time is negative: it is the second reading minus the first."
    return ""


def _in_calls(before: list[str], after: list[str], found: float, right: float) -> str:
    """What is missing, or in the wrong order, around one run of a trial."""
    if before[-1:] == after[:1] == ["mark"]:
        return ""
    if "clock" not in before or "clock" not in after:
        if "mark" in before or "mark" in after:
            return "Record one event right before run() and another one right after it, for each trial."
        return "Read the clock before run() and after it, for each trial: each one is timed by itself."
    stop = after.index("clock")
    measured = after[:stop]
    if "synchronise" not in measured:
        if "wait" in measured:
            return "What was waited for ended before the work of this run(): record the event after run()."
        if "sleep" in measured:
            return "Sleeping is no synchronisation: the work may take longer, or shorter. Synchronise after run()."
        read_later = "synchronise" in after and "clock" in after[after.index("synchronise") :]
        if _is_a_launch(found) or not read_later:
            return "run() only queues work: synchronise after run(), before the clock stops."
    start = len(before) - 1 - before[::-1].index("clock")
    if "synchronise" not in before[:start] and found > right:
        return (
            "Work from before may still be running when the clock starts: finish the warm-up, and synchronise, "
            "before the clock starts."
        )
    return ""


def _is_a_launch(found: float) -> bool:
    return found <= 5 * LAUNCH_US / 1e3


def _in_numbers(times: list[float], truth: list[float], position: int) -> str:
    """The calls are right, or say nothing; what the number itself shows."""
    found, right = times[position], truth[position]
    if _is_a_launch(found):
        return (
            "That is the time of a launch at most, although run() was waited for: is it the difference of the readings "
            "before run() and after the synchronisation, of one of the clocks that README.md names?"
        )
    if len(set(times)) == 1 and len(times) > 1 and len(set(truth)) > 1:
        return "Every trial shows the same number, but the trials differ: time each one by itself."
    total = sum(truth[: position + 1])
    if position and abs(found - total) <= NEAR * total:
        return "The time holds the trials before, too: take a new first reading for each trial."
    if is_near(found, sum(truth)):
        return "That is the time of all trials together: start and stop the clock for each one."
    if any(is_near(found, other) for other in truth):
        return "That is the time of another trial: the times have to be in the order of the trials."
    if position == 0 and found > right:
        return "The first trial is too long: work from before, or the first call's own cost, is in it."
    return (
        "The device was waited for and a simulated clock was read, in the right order: look at how the time is made of "
        "the readings, and whether both come from the same clock (README.md names those that are simulated)."
    )


def _not_fields(result) -> str:
    """What a result is that has not the three fields; nothing if it has them."""
    if not isinstance(result, Mapping):
        return _kind(result)
    missing = [field for field in FIELDS if field not in result]
    return f"a dict without {' and '.join(missing)}" if missing else ""


def _not_times(times) -> str:
    """What is wrong with the list of times: itself, or its first element that is no finite number."""
    if not isinstance(times, (list, tuple)):
        return _kind(times)
    found = ((_not_a_number(value), position) for position, value in enumerate(times))
    return next((f"{problem} at position {position}" for problem, position in found if problem), "")


def _not_a_number(value) -> str:
    """What a value is that is no finite number; nothing if it is one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return _kind(value)
    try:
        number = float(value)
    except OverflowError:
        return "an int that is too large for a time"
    if math.isnan(number):
        return "NaN"
    return "" if math.isfinite(number) else "an infinity"


def _kind(value) -> str:
    name = str(getattr(value, "found", type(value).__name__)) if value is not None else "None"
    article = "an" if name[0] in "aeio" else "a"
    return name if name == "None" or " " in name else f"{article} {name}"
