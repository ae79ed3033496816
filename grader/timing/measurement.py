"""What one timed case gave: numbers only, with their units in their names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from grader.status import Status
from grader.timing.statistics import Interval


@dataclass(frozen=True)
class Measurement:
    """The evidence of the clock for one performance case; every output of every timed call was right."""

    time_ms: Interval  # of one call of the submission
    baseline_ms: Interval
    calls: int  # K: calls in one batch
    num_bytes: int  # ideal traffic of one call
    num_flops: int
    working_set_bytes: int  # inputs and outputs of a whole batch
    copy_gbps: float  # ceiling at the start
    matmul_tflops: float  # ceiling of the inputs' dtype; 0 where it was not asked for
    drift: float  # of the ceiling from start to end, relative
    l2_bytes: int
    events_ms: float  # the worker's own clock: CUDA events, per call
    memory: str  # how tensors travelled: `cuda ipc` or `host copies`
    sm_clock_mhz: int = 0
    temperature_c: int = 0
    throttle: str = ""

    @property
    def speedup(self) -> float:
        """How many times faster than the baseline."""
        return self.baseline_ms.median / self.time_ms.median

    @property
    def clocks_disagree(self) -> bool:
        """Whether the worker's clock is outside the band around the grader's."""
        ratio = self.events_ms / self.time_ms.median if self.time_ms.median else 1.0
        return not 0.90 <= ratio <= 1.10


class Job(BaseModel):
    """What to time."""

    folder: Path  # of the exercise
    text: str  # the student's file
    seed: int
    uuid: str


class CaseResult(BaseModel):
    """One performance case: a measurement, or why there is none."""

    name: str
    measurement: Measurement | None = None
    status: Status | None = None
    message: str = ""
    details: str = ""
    diagnosis: str = ""
