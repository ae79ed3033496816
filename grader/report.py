"""The report as data: what `--json` writes, and the only thing that renderers read.

Its JSON Schema is published in `docs/report.schema.json`, generated from these models and compared in a test.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from grader.records import Kind
from grader.status import Status
from grader.timing.health import Health
from grader.timing.measurement import Ceilings, Kernel, Way

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SettingReport(_Model):
    """One setting of a case's parameters."""

    name: str
    status: Status
    message: str
    seconds: float


class PerformanceReport(_Model):
    """What the clock gave for a performance case; every output of every timed call was checked."""

    time_ms: float  # of one call: the median
    low_ms: float
    high_ms: float
    samples: int
    calls: int  # in one batch
    share: float  # of what the targets ask for
    share_of: str  # `this device's copy bandwidth` or `the baseline's speed`
    speedup: float  # over the baseline; above 1 is faster
    baseline_ms: float
    events_ms: float  # the worker's own clock: CUDA events
    memory: str  # how tensors travelled
    ceilings: Ceilings
    drift: float  # of the copy bandwidth from start to end, relative
    health: Health  # of the device at the end
    kernels: list[Kernel]  # of one call, by the worker's profiler: evidence, not proof
    ways: list[Way]  # other ways to compute the same, where they were asked for


class SiteReport(_Model):
    """All accesses that one line makes in one way to one tensor or shared array."""

    line: int  # of the student's file; 0 where it is not known
    kind: str  # load, store or atomic
    space: str  # global or shared
    name: str  # empty where it is not known
    requests: int  # by warps (Triton: by programs)
    num_bytes: int  # by active lanes
    transfers: int  # sectors of global memory, wavefronts of shared memory
    fewest_transfers: int  # for the same lanes


class EfficiencyReport(_Model):
    """What one call moved, by the CPU back ends; counted in the worker: evidence, not proof."""

    launches: int
    num_bytes: int  # loaded from and stored to global memory
    fewest_bytes: int  # that a result needs
    sectors: int  # of global memory
    fewest_sectors: int
    wavefronts: int  # of shared memory
    fewest_wavefronts: int
    barriers: int
    worst: SiteReport | None  # of the place with the most transfers above the fewest


class CaseReport(_Model):
    """One test function (or counted or timed case): what it is worth, and its most telling setting."""

    name: str
    title: str
    kind: Kind
    status: Status
    points: int
    max_points: int
    not_measured_points: int  # neither earned nor lost here
    hidden: bool
    setting: str  # the one that the message is about, where there are several
    message: str  # what was found and what was expected, as far as the case's visibility allows
    diagnosis: str  # the pattern of what is wrong
    lines: list[str]  # the student's own lines: of a traceback, or of the compiler
    output: str  # the student's own prints, cut; empty for hidden cases
    settings: list[SettingReport]
    efficiency: EfficiencyReport | None = None
    performance: PerformanceReport | None = None


class KernelReport(_Model):
    """One kernel as it is compiled for a GPU, where none is: seen in the worker, so evidence and no proof."""

    name: str
    line: int  # of the student's file; 0 where it stands elsewhere
    registers: int  # of a thread
    spill_bytes: int  # that a thread stores to memory, because there are too few registers
    load_bytes: int  # the widest load of a thread from global memory; 0 where there is none
    store_bytes: int
    shuffles: int  # instructions that exchange values between the threads of a warp
    uses_tensor_cores: bool
    shared_bytes: int  # of a block; of a `.cu` file those that are declared with their size


class ExerciseReport(_Model):
    """One exercise of one submission."""

    name: str
    title: str
    file: str
    status: Status
    points: int
    max_points: int
    not_measured_points: int  # neither earned nor lost here
    next_step: str
    cases: list[CaseReport]
    kernels: list[
        KernelReport
    ] = []  # of one small call, or of a `.cu` file, where a GPU's compiler was asked without a GPU
    kernels_note: str = ""  # why nothing is known of them, where it was asked and gave no answer


class Device(_Model):
    """Where the submission's code ran."""

    kind: str  # cpu or cuda
    name: str


class Environment(_Model):
    """What the verdict was made with."""

    grader: str
    python: str
    torch: str
    triton: str  # empty where there is none
    platform: str
    isolation: str  # of the worker: namespaces, uid or none


class Report(_Model):
    """A whole run."""

    schema_version: int = SCHEMA_VERSION
    device: Device
    environment: Environment
    seed: int
    points: int
    max_points: int
    not_measured_points: int
    exercises: list[ExerciseReport]

    @property
    def passed(self) -> bool:
        """Whether everything that could be measured passed, and something was measured."""
        fine = {Status.PASSED, Status.NOT_MEASURED}
        statuses = {exercise.status for exercise in self.exercises}
        return statuses <= fine and Status.PASSED in statuses

    @property
    def grader_failed(self) -> bool:
        """Whether any part could not be judged by our own fault."""
        return any(e.status is Status.GRADER_ERROR for e in self.exercises)
