"""`release`: the students' bundle. It is this repository without solutions, hidden tests and the grader's own tests.

What goes in is listed, not what stays out: a new file of the staff's never slips into the bundle.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from grader.errors import UsageError
from grader.exercise import EXERCISES, METADATA, VISIBLE_TESTS, Exercise, load_all
from grader.status import Status
from grader.submission import collect

TOP = ("README.md", "LICENSE", "noxfile.py", "pyproject.toml", "constraints.txt", ".gitignore")
PACKAGES = ("grader", "shared")
SOURCE = (".py", ".cu", ".cpp", ".h", ".yaml", ".md", ".j2", ".sh", "")
DOCS = "docs"
PER_EXERCISE = ("README.md", METADATA, "reference.py", VISIBLE_TESTS, "hints.yaml")


def run(root: Path, to: Path) -> int:
    """Write the bundle into a new folder; a filled-in stub stops it."""
    if to.exists():
        raise UsageError(f"--to {to}: it exists already; name a folder that does not")
    exercises = load_all(root)
    for exercise in exercises:
        _refuse_filled(exercise)
    to.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=to.parent) as scratch:
        bundle = Path(scratch) / "bundle"
        for source in members(root, exercises):
            target = bundle / source.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        bundle.rename(to)  # whole or not at all
    Console().print(f"{to}: {len(exercises)} exercises, without solutions and hidden tests")
    return 0


def _refuse_filled(exercise: Exercise) -> None:
    finding = collect(exercise, exercise.student_file).finding
    if finding is None or finding.status is not Status.NOT_ATTEMPTED:
        raise UsageError(
            f"{exercise.student_file}: expected the unfilled stub that exercise.yaml's digest names; restore it first"
        )


def members(root: Path, exercises: Sequence[Exercise]) -> Iterator[Path]:
    """The files of the bundle, in `root`; raises UsageError where one is missing."""
    for name in TOP:
        if (root / name).is_file():
            yield root / name
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*")):
            if file.is_file() and file.suffix in SOURCE and "__pycache__" not in file.parts:
                yield file
    yield from sorted((root / DOCS).glob("*.*"))
    for exercise in exercises:
        folder = root / EXERCISES / exercise.name
        for name in (*PER_EXERCISE, exercise.file):
            if not (folder / name).is_file():
                raise UsageError(f"{folder / name} is missing; run `nox -s check` first")
            yield folder / name
