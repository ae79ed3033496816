"""`submit`: a zip of the student's files, opened again and compared before we say it is fine."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from grader.errors import UsageError
from grader.exercise import EXERCISES, Exercise
from grader.loading import choose, load_all
from grader.submission import Submission, collect


def run(root: Path, names: Sequence[str], to: Path) -> int:
    """Write the zip; stubs and files that cannot be graded are left out and named."""
    if to.suffix != ".zip":
        raise UsageError(f"--to {to}: expected a name that ends with .zip")
    if to.is_dir() or not to.parent.is_dir():
        raise UsageError(f"--to {to}: expected the name of a file in a folder that exists")
    exercises = choose(load_all(root), names)
    found = [(e, collect(e, root / EXERCISES / e.name / e.file)) for e in exercises]
    chosen = [(e, s) for e, s in found if s.finding is None]
    console = Console()
    for exercise, submission in found:
        console.print(_line(exercise, submission))
    if not chosen:
        raise UsageError("nothing to hand in: every file is missing, unreadable or an unfilled stub")
    _write(to, chosen)
    _verify(to, chosen)
    console.print(f"{to}: {len(chosen)} of {len(found)} files, checked by opening it again")
    return 0


def _line(exercise: Exercise, submission: Submission) -> str:
    if submission.finding is None:
        return f"✓ {_member(exercise)}"
    return f"– {_member(exercise)} left out: {submission.finding.summary}"


def _member(exercise: Exercise) -> str:
    return f"{exercise.name}/{exercise.file}"


def _write(to: Path, chosen: Sequence[tuple[Exercise, Submission]]) -> None:
    """A fixed date: the same files give the same zip."""
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for exercise, submission in chosen:
            info = zipfile.ZipInfo(_member(exercise), date_time=(1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            archive.writestr(info, submission.path.read_bytes(), zipfile.ZIP_DEFLATED)


def _verify(to: Path, chosen: Sequence[tuple[Exercise, Submission]]) -> None:
    with zipfile.ZipFile(to) as archive:
        for exercise, submission in chosen:
            if archive.read(_member(exercise)) != submission.path.read_bytes():
                raise UsageError(f"{to}: {_member(exercise)} changed while it was written; run again")
