"""Load exercises: one folder each, found by its `exercise.yaml`; there is no list of them anywhere.

The yaml is data only. Every mistake in it is reported with file, line and field, all of them at once.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from grader.errors import UsageError
from grader.exercise import (
    EXERCISES,
    METADATA,
    EfficiencyCase,
    Entry,
    Exercise,
    Limits,
    Metadata,
    PerformanceCase,
    Points,
    Predictable,
)
from shared.cuda import prototype
from shared.cuda.prototype import Prototype, PrototypeError


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
        metadata = Metadata.model_validate(data)
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


def _exercise(folder: Path, node: yaml.Node | None, metadata: Metadata) -> Exercise:
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
    model = models[path[0]] if len(path) > 1 and path[0] in models else Metadata
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
