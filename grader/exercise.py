"""One exercise as data: what `exercise.yaml` says, and where its files are. It is read by `grader.loading`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shared.cuda import prototype
from shared.cuda.prototype import Prototype

EXERCISES = "exercises"
SOLUTIONS = "solutions"
METADATA = "exercise.yaml"
VISIBLE_TESTS = "test_visible.py"
HIDDEN_TESTS = "hidden/test_hidden.py"

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Limits(_Data):
    """What one submission of this exercise may use."""

    load_s: Positive = 30.0  # import of the file
    build_s: Positive = 60.0  # compiling a `.cu` file
    call_s: Positive = 10.0  # one call of an entry point
    build_memory_mb: Positive = 4096.0  # resident memory of the compiler
    memory_mb: Positive = 4096.0  # resident memory of the worker, beyond what it has at its start
    output_kb: Positive = 64.0  # prints that are kept; the rest is cut
    flood_mb: Positive = 64.0  # prints beyond which the process is ended
    wall_s: Positive = 900.0  # everything together; what is left over is not run
    disk_mb: Positive = 1024.0  # files that the worker may keep
    processes: Annotated[int, Field(ge=16)] = 256  # and threads at one time, in a sandbox


class Points(_Data):
    """Points of the correctness tests; efficiency and performance cases carry their own."""

    visible: Count
    hidden: Count


class PerformanceCase(_Data):
    """One timed setting and the share of the device it asks for."""

    name: str
    points: Annotated[int, Field(ge=0, multiple_of=4)]  # earned in quarters
    arguments: dict[str, Any]  # of `reference.make_inputs`
    bound: Literal["memory", "compute"]
    full_at: Positive  # share of the ceiling (memory) or of the baseline (compute): full points
    zero_at: Positive  # at and below: none
    solution_at: Positive | None = None  # the share that the solution must reach; `bench` holds it to that
    compute_capability: Positive = 7.0  # the least that can run it

    @model_validator(mode="after")
    def _is_a_range(self) -> PerformanceCase:
        if self.zero_at >= self.full_at:
            raise ValueError(f"zero_at {self.zero_at} must be below full_at {self.full_at}")
        if self.solution_at is not None and self.solution_at < self.full_at:
            raise ValueError(f"solution_at {self.solution_at} must not be below full_at {self.full_at}")
        return self


Predictable = Literal["launches", "programs", "bytes"]
"""Of one call: kernels, blocks or programs, bytes loaded from and stored to global memory."""
BOUNDS = ("predicted", "most_launches", "most_traffic", "least_coalesced", "most_bank_conflicts")
"""Of an efficiency case: each is all or nothing, and so are they together."""


class EfficiencyCase(_Data):
    """One setting in which the CPU back ends count what is moved; every bound that is given must hold."""

    name: str
    points: Count
    arguments: dict[str, Any]  # of `reference.make_inputs`; small, since it is emulated
    predicted: dict[Predictable, str] = {}  # by a function of the student's, before it is counted
    most_launches: Count | None = None
    most_traffic: Positive | None = None  # bytes loaded from and stored to global memory, times those of `cost`
    least_coalesced: Annotated[float, Field(gt=0, le=1)] | None = None  # fewest sectors / sectors of global memory
    most_bank_conflicts: Annotated[float, Field(ge=1)] | None = None  # wavefronts / fewest of shared memory

    @model_validator(mode="after")
    def _has_a_bound(self) -> EfficiencyCase:
        if not any(getattr(self, name) not in (None, {}) for name in BOUNDS):
            raise ValueError(f"a case without a bound; there are: {', '.join(BOUNDS)}")
        return self


class Metadata(_Data):
    """`exercise.yaml` as it is written."""

    title: str
    order: int
    lecture: str
    file: Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*\.(py|cu)$")]
    stub: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
    entry: Annotated[list[str], Field(min_length=1)]
    requires: list[Literal["triton"]] = []
    device: Literal["any", "cpu"] = "any"
    limits: Limits = Limits()
    own_kernel: bool = False  # the arithmetic belongs into a kernel of the student's own (grader/rules.py)
    may_call: list[str] = []  # operations of torch that are allowed all the same, such as `cumsum`
    points: Points
    efficiency: list[EfficiencyCase] = []
    performance: list[PerformanceCase] = []
    ways: dict[str, str] = {}  # other ways to compute the same, to be timed beside it: name -> function of reference.py


class Entry(_Data):
    """A function the submission must define."""

    name: str
    parameters: tuple[str, ...]  # names, for the message and the count
    declaration: str  # as written in exercise.yaml


class Exercise(_Data):
    """One folder under `exercises/`, loaded."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    name: str
    folder: Path
    title: str
    order: int
    lecture: str
    file: str  # of the student, in `folder`
    stub_digest: str  # of the unfilled file's tokens: in a student's tree the stub is filled in place
    entries: tuple[Entry, ...]
    prototypes: tuple[Prototype, ...]  # of a `.cu` file
    requires: tuple[str, ...]
    device: Literal["any", "cpu"]  # `cpu`: simulated, the same on every machine
    limits: Limits
    own_kernel: bool = False
    may_call: tuple[str, ...] = ()  # operations of torch that are allowed all the same
    points: Points
    efficiency: tuple[EfficiencyCase, ...] = ()
    performance: tuple[PerformanceCase, ...]
    ways: tuple[tuple[str, str], ...] = ()  # (name, function of reference.py)

    @property
    def is_cuda(self) -> bool:
        """Whether the student writes a `.cu` file."""
        return self.file.endswith(".cu")

    @property
    def is_triton(self) -> bool:
        """Whether the student writes kernels in Triton."""
        return "triton" in self.requires

    @property
    def student_file(self) -> Path:
        """The file the student edits: the stub, until it is filled in."""
        return self.folder / self.file

    @property
    def tests(self) -> tuple[Path, ...]:
        """The test files that this copy has; hidden ones are missing from a student's."""
        files = (self.folder / VISIBLE_TESTS, self.folder / HIDDEN_TESTS)
        return tuple(file for file in files if file.exists())

    @property
    def has_hidden_tests(self) -> bool:
        """Whether this copy is the staff's."""
        return (self.folder / HIDDEN_TESTS).exists()

    @property
    def max_points(self) -> int:
        """All points of the exercise, also those that this copy or device cannot judge."""
        counted = sum(case.points for case in self.efficiency)
        timed = sum(case.points for case in self.performance)
        return self.points.visible + self.points.hidden + counted + timed

    def outputs(self, entry: Entry) -> tuple[int, ...]:
        """Where a launcher's outputs are among its arguments; none for a Python function."""
        for declared in self.prototypes:
            if declared.name == entry.name:
                return tuple(i for i, p in enumerate(prototype.arguments(declared)) if p.is_output)
        return ()
