"""What one timed case gave: numbers only, with their units in their names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import BaseModel

from grader.status import Status
from grader.timing.health import Health
from grader.timing.statistics import Interval

CUDA_IPC, HOST_COPIES = "cuda ipc", "host copies"

EMULATED_BY = {"float32": "tf32"}
"""Arithmetic that can be had from faster units: three TF32 products make one of nearly float32's accuracy."""


@dataclass(frozen=True)
class Ceilings:
    """What the device reached before the submission was loaded."""

    copy_gbps: float  # bytes read and written, 1e9 per second
    matmul_tflops: dict[str, float]  # by arithmetic: float32, tf32, float16, bfloat16
    launch_us: float
    measured_at: str  # ISO 8601, UTC
    health: Health

    def fastest_tflops(self, dtype: str) -> float:
        """The rate that no honest product of this dtype exceeds; 0 where none was measured."""
        names = (dtype, EMULATED_BY.get(dtype, dtype))
        return max(self.matmul_tflops.get(name, 0.0) for name in names)

    def least_ms(self, num_bytes: int, num_flops: int, dtype: str) -> float:
        """The shortest time in which so much can be moved and computed."""
        moved = num_bytes / self.copy_gbps / 1e6
        rate = self.fastest_tflops(dtype)
        return max(moved, num_flops / rate / 1e9 if rate else 0.0, self.launch_us / 1e3)


@dataclass(frozen=True)
class Kernel:
    """What the worker's profiler saw of one kernel, for one call."""

    name: str
    launches: float
    time_ms: float

    @property
    def function(self) -> str:
        """The bare name: of `void ns::copy<float>(float*)` it is `copy`."""
        plain = re.split(r"[<(]", self.name.removeprefix("void ").replace("(anonymous namespace)::", ""))[0]
        return plain.rpartition("::")[2].strip()


@dataclass(frozen=True)
class Way:
    """Another way to compute the same: the eager formula, torch.compile, the library, the staff's kernel."""

    name: str
    time_ms: float


@dataclass(frozen=True)
class Measurement:
    """The evidence of the clock for one performance case; every output of every timed call was right."""

    time_ms: Interval  # of one call of the submission
    baseline_ms: Interval
    calls: int  # K: calls in one batch
    num_bytes: int  # ideal traffic of one call
    num_flops: int
    working_set_bytes: int  # inputs and outputs of a whole batch
    dtype: str  # of the inputs
    ceilings: Ceilings
    drift: float  # of the copy bandwidth from start to end, relative
    l2_bytes: int
    events_ms: float  # the worker's own clock: CUDA events, per call
    memory: str  # how tensors travelled: CUDA_IPC or HOST_COPIES
    health: Health  # at the end
    ways: tuple[Way, ...] = ()  # where they were asked for

    @property
    def speedup(self) -> float:
        """How many times faster than the baseline."""
        return self.baseline_ms.median / self.time_ms.median


class Job(BaseModel):
    """What to time."""

    text: str  # the student's file
    uuid: str
    compare: bool = False  # time the other ways too
    solution: str = ""  # the staff's file, where there is one


class CaseResult(BaseModel):
    """One performance case: a measurement, or why there is none."""

    name: str
    measurement: Measurement | None = None
    kernels: tuple[Kernel, ...] = ()  # of one call, by the worker's profiler
    status: Status | None = None
    message: str = ""
    details: str = ""
    diagnosis: str = ""
    lines: tuple[str, ...] = ()
