"""From a measurement to a mark: shares of what the device can do, in quarters of a case's points. Nothing runs here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from grader.exercise import PerformanceCase
from grader.records import PASSED, Finding
from grader.status import Status
from grader.timing.measurement import HOST_COPIES, Measurement

QUARTERS = 4
NOISE = 0.02
"""Half an interval's width up to which an edge inside of it is decided for the student."""
COPY_BANDWIDTH, BASELINE_SPEED = "this device's copy bandwidth", "the baseline's speed"
BEYOND_CEILING = 1.15
"""Faster than this many times the physical ceiling is not believed without a person."""
FAR_BEYOND_L2 = 4.0
"""Only working sets of this many L2 caches are held against the memory's ceiling."""
MAX_DRIFT = 0.03
"""A ceiling that moved by more between start and end: the device was not ours alone."""


@dataclass(frozen=True)
class Mark:
    """Points, the finding that goes with them, and whether an edge lay inside the interval."""

    points: int
    finding: Finding
    on_an_edge: bool = False


def share_of(measured: Measurement, case: PerformanceCase) -> tuple[float, float, float]:
    """(low, middle, high) of what the targets ask for.

    Memory-bound: the ideal traffic over the time, against the copy bandwidth. Compute-bound: the baseline's time over
    the submission's.
    """
    time, base = measured.time_ms, measured.baseline_ms
    if case.bound == "memory":
        ideal_ms = measured.num_bytes / measured.ceilings.copy_gbps / 1e6
        return ideal_ms / time.high, ideal_ms / time.median, ideal_ms / time.low
    return base.low / time.high, base.median / time.median, base.high / time.low


def mark(measured: Measurement, case: PerformanceCase) -> Mark:
    """The mark of a correct submission's measurement."""
    if abs(measured.drift) > MAX_DRIFT:
        text = f"GPU busy: its copy bandwidth moved by {measured.drift:+.1%} during the measurement"
        return Mark(0, Finding(Status.NOT_MEASURED, text))
    if measured.memory == HOST_COPIES:
        text = "CUDA cannot share memory between processes here, so inputs are seen before the clock starts: no marks"
        return Mark(0, Finding(Status.NOT_MEASURED, text))
    low, middle, high = share_of(measured, case)
    if _is_beyond_the_device(measured, case):
        text = f"faster than this device can be: {low:.0%} of its ceiling at least"
        return Mark(0, Finding(Status.SUSPECT, text, details="a person will look at it"))
    worst, best = quarters(low, case), quarters(high, case)
    for_the_student = worst != best and is_narrow(measured, case)  # an edge inside the interval
    earned = best if for_the_student else quarters(middle, case)
    points = case.points * earned // QUARTERS
    if earned == QUARTERS:
        return Mark(points, PASSED, for_the_student)
    text = f"{middle:.0%} of {share_is_of(case)}; full points from {case.full_at:.0%}, none at {case.zero_at:.0%}"
    return Mark(points, Finding(Status.TOO_SLOW, text), for_the_student)


def is_narrow(measured: Measurement, case: PerformanceCase) -> bool:
    """Whether the interval is that of noise, and not of turns that differ."""
    widths = [measured.time_ms.half_width, measured.baseline_ms.half_width if case.bound == "compute" else 0.0]
    return max(widths) <= NOISE


def quarters(share: float, case: PerformanceCase) -> int:
    """0 to 4: four from `full_at` on, none up to `zero_at`, equal steps between."""
    fraction = (share - case.zero_at) / (case.full_at - case.zero_at)
    return max(0, min(QUARTERS, math.floor(fraction * QUARTERS + 1e-9)))


def share_is_of(case: PerformanceCase) -> str:
    """What the share is taken of, in words."""
    return COPY_BANDWIDTH if case.bound == "memory" else BASELINE_SPEED


def _is_beyond_the_device(measured: Measurement, case: PerformanceCase) -> bool:
    """The whole interval beyond the physical ceiling, on data that no cache holds. A library is no ceiling."""
    slowest_ms = measured.time_ms.high
    if measured.working_set_bytes > FAR_BEYOND_L2 * measured.l2_bytes:
        ideal_ms = measured.num_bytes / measured.ceilings.copy_gbps / 1e6
        if ideal_ms > BEYOND_CEILING * slowest_ms:
            return True
    rate = measured.ceilings.fastest_tflops(measured.dtype)
    return case.bound == "compute" and measured.num_flops > BEYOND_CEILING * slowest_ms * rate * 1e9 > 0
