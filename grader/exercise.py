"""Load exercises: one folder each, found by its `exercise.yaml`; there is no list of them anywhere.

The yaml is data only. Every mistake in it is reported with file, line and field, all of them at once.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from grader.errors import UsageError
from shared.cuda import prototype
from shared.cuda.prototype import Prototype, PrototypeError

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


class _Metadata(_Data):
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


def load_all(root: Path) -> list[Exercise]:
    """Every exercise under `root`, in teaching order. Finding none is an error."""
    folders = sorted(file.parent for file in (root / EXERCISES).glob(f"*/{METADATA}"))
    if not folders:
        raise UsageError(f"no exercise found: {root / EXERCISES} has no folder with {METADATA}")
    loaded, problems = [], []
    for folder in folders:
        try:
            loaded.append(load(folder))
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return sorted(loaded, key=lambda e: (e.order, e.name))


def choose(exercises: Sequence[Exercise], names: Sequence[str]) -> list[Exercise]:
    """The exercises of these names (all without names); an unknown name gets the nearest ones."""
    known = {exercise.name: exercise for exercise in exercises}
    for name in names:
        if name not in known:
            raise UsageError(_unknown(name, list(known)))
    return [known[name] for name in dict.fromkeys(names)] if names else list(exercises)


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(known)}"
    return f"no exercise is called {name!r}; {hint}"


def load(folder: Path) -> Exercise:
    """Read one exercise's folder; raise UsageError with file, line and field."""
    folder = folder.resolve()
    file = folder / METADATA
    node, data = _read(file)
    twice = list(_repeated(node))
    if twice:
        raise UsageError("\n".join(f"{file}:{line}: {name}: this field stands here twice" for line, name in twice))
    try:
        metadata = _Metadata.model_validate(data)
    except ValidationError as error:
        raise UsageError("\n".join(_explain(file, node, e) for e in error.errors())) from None
    return _exercise(folder, node, metadata)


def _read(file: Path) -> tuple[yaml.Node | None, Any]:
    """The file as yaml: its nodes, which know their lines, and its data."""
    try:
        text = file.read_text(encoding="utf-8")
        return yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{file}:{line}: not readable as yaml: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(f"{file}:1: not readable as yaml: {reason}") from None


def _repeated(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Fields that stand twice in one mapping (yaml takes the last one in silence)."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                yield key.start_mark.line + 1, str(key.value)
            seen.add(str(key.value))
            yield from _repeated(value)


def _exercise(folder: Path, node: yaml.Node | None, metadata: _Metadata) -> Exercise:
    entries, prototypes = [], []
    for position, text in enumerate(metadata.entry):
        try:
            if metadata.file.endswith(".cu"):
                prototypes.append(prototype.parse(text))
                entries.append(_launcher(prototypes[-1], text))
            else:
                entries.append(_function(text))
        except (PrototypeError, SyntaxError, ValueError) as error:
            line = _line(node, ("entry", position))
            raise UsageError(f"{folder / METADATA}:{line}: entry[{position}]: {error}") from None
    for position, field, problem in _wrong_predictions(metadata.efficiency, [] if prototypes else entries):
        line = _line(node, ("efficiency", position, "predicted", field))
        raise UsageError(f"{folder / METADATA}:{line}: efficiency[{position}].predicted.{field}: {problem}")
    return Exercise(
        name=folder.name,
        folder=folder,
        title=metadata.title,
        order=metadata.order,
        lecture=metadata.lecture,
        file=metadata.file,
        stub_digest=metadata.stub,
        device=metadata.device,
        entries=tuple(entries),
        prototypes=tuple(prototypes),
        requires=tuple(metadata.requires),
        efficiency=tuple(metadata.efficiency),
        performance=tuple(metadata.performance),
        ways=tuple(metadata.ways.items()),
        limits=metadata.limits,
        own_kernel=metadata.own_kernel,
        may_call=tuple(metadata.may_call),
        points=metadata.points,
    )


def _wrong_predictions(
    cases: Sequence[EfficiencyCase], entries: Sequence[Entry]
) -> Iterator[tuple[int, Predictable, str]]:
    """(position of the case, quantity, what is wrong) for functions that cannot be asked."""
    known = {entry.name: entry for entry in entries[1:]}
    for position, case in enumerate(cases):
        for quantity, name in case.predicted.items():
            unknown = set(known[name].parameters) - set(case.arguments) if name in known else set()
            if name not in known:
                yield (
                    position,
                    quantity,
                    f"{name!r} is no entry after the first; there are: {', '.join(known) or 'none'}",
                )
            elif unknown:
                yield position, quantity, f"{name} has parameters that the case has no arguments for: {sorted(unknown)}"


def _launcher(parsed: Prototype, text: str) -> Entry:
    names = tuple(parameter.name for parameter in prototype.arguments(parsed))
    return Entry(name=parsed.name, parameters=names, declaration=text)


def _function(text: str) -> Entry:
    """Read `softmax(x)` as the signature of a Python function."""
    body = ast.parse(f"def {text}: ...").body
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):
        raise ValueError(f"expected a signature such as softmax(x), found {text!r}")
    names = tuple(argument.arg for argument in body[0].args.args)
    return Entry(name=body[0].name, parameters=names, declaration=text)


def _explain(file: Path, node: yaml.Node | None, error: Any) -> str:
    path = tuple(error["loc"])
    field = ".".join(str(part) for part in path) or "(whole file)"
    what = {
        "model_type": f"expected fields, found {error['input']!r}",
        "missing": "this field is missing",
        "extra_forbidden": f"unknown field; known here: {', '.join(_siblings(path))}",
    }.get(error["type"], f"{error['msg']}, found {error['input']!r}")
    return f"{file}:{_line(node, path)}: {field}: {what}"


def _siblings(path: tuple[Any, ...]) -> list[str]:
    models: dict[Any, type[BaseModel]] = {
        "limits": Limits,
        "points": Points,
        "efficiency": EfficiencyCase,
        "performance": PerformanceCase,
    }
    model = models[path[0]] if len(path) > 1 and path[0] in models else _Metadata
    return sorted(model.model_fields)


def _line(node: yaml.Node | None, path: Sequence[Any]) -> int:
    """The line where the field stands, or that of the nearest parent that exists."""
    line = 1
    for part in path:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if k.value == part]
            if not found:
                break
            key, node = found[0]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line + 1
    return int(line)
