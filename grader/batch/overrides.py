"""What a TA decided by hand: `overrides.json`, read, changed and written whole.

It is meant to be read by people, and may be edited by them: everything in it is checked whenever it is read.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.batch.book import Override
from grader.batch.mapping import Mapping
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.files import write

FILE = "overrides.json"
SCHEMA_VERSION = 1
MOST_BONUS = 2.0
"""Times an exercise's points: more is a slip of the pen, with whatever word."""


class _Overrides(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA_VERSION
    overrides: tuple[Override, ...] = ()


def load_overrides(directory: Path) -> tuple[Override, ...]:
    """All of them; raises UsageError with the file and the field where something is wrong."""
    file = directory / FILE
    try:
        found = _Overrides.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        lines = (f"{file}: {'.'.join(map(str, e['loc'])) or 'the file'}: {e['msg']}" for e in error.errors())
        raise UsageError("\n".join(lines)) from None
    problems = list(_problems(found))
    if problems:
        raise UsageError("\n".join(f"{file}: {problem}" for problem in problems))
    return found.overrides


def _problems(found: _Overrides) -> Iterator[str]:
    if found.schema_version != SCHEMA_VERSION:
        yield f"schema_version: expected {SCHEMA_VERSION}, found {found.schema_version}: made by another version"
    seen = set()
    for position, override in enumerate(found.overrides):
        where = f"overrides.{position}"
        if not math.isfinite(override.points) or override.points < 0:
            yield f"{where}.points: expected points from 0, found {override.points}"
        if not override.reason.strip():
            yield f"{where}.reason: expected a reason; whoever reads the book wants to know it"
        if (override.entry, override.exercise) in seen:
            yield f"{where}: {override.entry}, {override.exercise} stands here twice"
        seen.add((override.entry, override.exercise))


def save_overrides(directory: Path, overrides: Sequence[Override]) -> None:
    """Write the file, in the order of submissions and exercises."""
    ordered = sorted(overrides, key=lambda override: (override.entry, override.exercise))
    write(directory / FILE, _Overrides(overrides=tuple(ordered)).model_dump_json(indent=1) + "\n")


def checked(override: Override, mapping: Mapping, exercises: Sequence[Exercise], bonus: bool = False) -> Override:
    """The override, with the content of the file it is about; raises UsageError where it cannot be meant."""
    exercise = next((e for e in exercises if e.name == override.exercise), None)
    if exercise is None:
        raise UsageError(_unknown("--exercise", override.exercise, [e.name for e in exercises]))
    entry = next((e for e in mapping.entries if e.id == override.entry), None)
    if entry is None:
        raise UsageError(_no_entry(override.entry, mapping))
    if not override.reason.strip():
        raise UsageError("--reason: expected a reason; the student reads it, and so does whoever grades next")
    _check_points(override.points, exercise, bonus)
    content = next((file.content for file in entry.files if file.exercise == exercise.name), "")
    return override.model_copy(update={"content": content})


def _check_points(points: float, exercise: Exercise, bonus: bool) -> None:
    most = exercise.max_points
    if not math.isfinite(points) or points < 0:
        raise UsageError(f"--points {points:g}: expected points from 0 to {most}")
    if points > most and not bonus:
        raise UsageError(f"--points {points:g}: {exercise.name} has {most} points; add --bonus if more are meant")
    if points > most * MOST_BONUS:
        raise UsageError(f"--points {points:g}: at most {most * MOST_BONUS:g}, twice the {most} of {exercise.name}")


def replaced(overrides: Sequence[Override], new: Override) -> tuple[Override, ...]:
    """The overrides with the new one, instead of one for the same submission and exercise."""
    return (*(o for o in overrides if (o.entry, o.exercise) != (new.entry, new.exercise)), new)


def removed(overrides: Sequence[Override], entry: str, exercise: str) -> tuple[Override, ...]:
    """The overrides without this one; raises UsageError where there is none."""
    left = tuple(o for o in overrides if (o.entry, o.exercise) != (entry, exercise))
    if len(left) == len(overrides):
        there = ", ".join(f"{o.entry} {o.exercise}" for o in overrides) or "none"
        raise UsageError(f"--remove: no points of {entry}, {exercise} were set by hand; there are: {there}")
    return left


def _no_entry(name: str, mapping: Mapping) -> str:
    theirs = [entry.id for entry in mapping.entries if any(name in (p.id, p.name, p.email) for p in entry.people)]
    if theirs:
        return f"--entry {name}: {name} is a person; their submission is {' or '.join(theirs)}"
    return _unknown("--entry", name, [entry.id for entry in mapping.entries])


def _unknown(option: str, name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6) or list(known[:3])
    return f"{option} {name}: not in this batch; expected one of its {len(known)}, such as {', '.join(near) or 'none'}"
