"""`package --to gradescope`: the zip that Gradescope builds an autograder's image from.

It holds the grader and the exercises with their hidden tests, no solutions, and a seed of its own. Files lie at the
root of the zip, as Gradescope wants them; the course is a folder, readable by root alone. But for the seed, the same
course gives the same bytes.
"""

from __future__ import annotations

import secrets
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console

from grader.batch.late import load_policy
from grader.commands.release_bundle import members, refuse_filled
from grader.errors import UsageError
from grader.exercise import HIDDEN_TESTS, Exercise
from grader.gradescope import settings
from grader.gradescope.settings import Settings
from grader.loading import choose, load_all

TARGETS = ("gradescope",)
TEMPLATES = Path(__file__).resolve().parent.parent / "templates/gradescope"
COURSE = "course"
_NOT_NEEDED = "grader/templates"  # of `new`, with solutions in them
_EXECUTABLE, _PLAIN = stat.S_IFREG | 0o755, stat.S_IFREG | 0o644
_UNIX = 3  # what made the zip: only then its modes count


@dataclass(frozen=True)
class Choices:
    """What the TA chooses."""

    hidden: str = "after_published"
    time_limit_min: float = 10.0
    seed: int | None = None
    late: Path | None = None


def run(root: Path, names: Sequence[str], to: str, output: Path, choices: Choices) -> int:
    """Write the zip; the exit code."""
    if to not in TARGETS:
        raise UsageError(f"--to {to!r}: expected {' or '.join(TARGETS)}")
    if output.suffix != ".zip" or output.is_dir() or not output.parent.is_dir():
        raise UsageError(f"--output {output}: expected a name that ends with .zip, in a folder that exists")
    root = root.resolve()
    exercises = choose(load_all(root), names)
    for exercise in exercises:
        refuse_filled(exercise)
        _refuse_students_copy(exercise)
    chosen = _settings(choices)
    people = tuple(load_policy(choices.late).extensions) if choices.late else ()
    _write(output, _contents(root, exercises, chosen, choices.late))
    console = Console()
    for line in (*_said(output, exercises, chosen), *_doubts(people)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def _settings(choices: Choices) -> Settings:
    seed = secrets.randbits(31) if choices.seed is None else choices.seed
    try:
        return Settings.model_validate(
            {"seed": seed, "hidden": choices.hidden, "time_limit_min": choices.time_limit_min}
        )
    except ValidationError as error:
        found = error.errors()[0]
        option = {"seed": "--seed", "hidden": "--hidden", "time_limit_min": "--time-limit"}[str(found["loc"][0])]
        raise UsageError(f"{option} {found['input']}: {found['msg']}") from None


def _refuse_students_copy(exercise: Exercise) -> None:
    if exercise.points.hidden and not exercise.has_hidden_tests:
        raise UsageError(
            f"{exercise.folder / HIDDEN_TESTS} is missing: {exercise.points.hidden} points of {exercise.name} are for "
            "hidden cases; make the package in the staff's repository"
        )


def _write(output: Path, contents: Iterator[tuple[str, bytes, int]]) -> None:
    scratch = output.with_name(f".{output.name}.part")
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data, mode in contents:
                info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
                info.create_system = _UNIX
                info.external_attr = mode << 16
                archive.writestr(info, data, zipfile.ZIP_DEFLATED)
        scratch.replace(output)
    finally:
        scratch.unlink(missing_ok=True)


def _contents(
    root: Path, exercises: Sequence[Exercise], chosen: Settings, late: Path | None
) -> Iterator[tuple[str, bytes, int]]:
    """(name in the zip, bytes, mode) of each file."""
    for file in sorted(TEMPLATES.iterdir()):
        yield file.name, file.read_bytes().replace(b"\r\n", b"\n"), _EXECUTABLE  # bash takes no other newlines
    for source in members(root, exercises):
        if source.is_relative_to(root / _NOT_NEEDED):
            continue
        yield f"{COURSE}/{source.relative_to(root).as_posix()}", source.read_bytes(), _PLAIN
    for exercise in exercises:
        if exercise.has_hidden_tests:
            hidden = exercise.folder / HIDDEN_TESTS
            yield f"{COURSE}/{hidden.relative_to(root).as_posix()}", hidden.read_bytes(), _PLAIN
    if late is not None:
        yield f"{COURSE}/{settings.LATE}", late.read_bytes(), _PLAIN
    yield f"{COURSE}/{settings.FILE}", (chosen.model_dump_json(indent=1) + "\n").encode(), _PLAIN


def _said(output: Path, exercises: Sequence[Exercise], chosen: Settings) -> Iterator[str]:
    speed = sum(case.points for exercise in exercises for case in exercise.performance)
    points = sum(exercise.max_points for exercise in exercises) - speed
    noun = "exercise" if len(exercises) == 1 else "exercises"
    yield f"{output}: {len(exercises)} {noun} with hidden tests, for Gradescope; keep it among staff"
    yield f"Set the assignment's points to {points}."
    if speed:
        yield f"{speed} points for speed are not measured there: Gradescope has no GPU; `batch` gives them on one."
    yield (
        "Upload it under Configure Autograder: Ubuntu 22.04, at least 2 CPUs and 3 GB of memory, "
        f"a time limit of {chosen.time_limit_min:g} minutes."
    )
    yield f"Its seed: --seed {chosen.seed} makes a mended package whose regrades have the same inputs."


def _doubts(people: Sequence[str]) -> Iterator[str]:
    for person in people:
        if "@" not in person:
            yield (
                f"late policy: extensions.{person}: Gradescope tells an autograder e-mail addresses and its own "
                "numbers of people; if this is another number, write the address"
            )
