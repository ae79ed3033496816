"""`override`: points that a TA decides by hand, with a reason; kept through every regrade."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from rich.console import Console

from grader.batch.book import Book, Grade, Override
from grader.batch.books import bound, columns_of
from grader.batch.folder import Folder, opened
from grader.batch.impact_text import line
from grader.batch.overrides import checked, editing, load_overrides, removed, replaced, save_overrides
from grader.commands import book_files
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.export.feedback import clean, number
from grader.loading import load_all


@dataclass(frozen=True)
class Decision:
    """What the TA says."""

    entry: str  # id of the submission
    exercise: str
    points: float | None = None
    reason: str = ""
    by: str = ""
    bonus: bool = False  # more than the exercise's points are meant
    remove: bool = False  # the decision that there is; the grader's points count again


def run(root: Path, path: Path, decision: Decision) -> int:
    """Check, write, make the book anew, and say what it was and what it is."""
    _refuse_contradictions(decision)
    folder = opened(path)
    exercises = load_all(root)
    with editing(folder.path):
        before = bound(folder, exercises).book
        save_overrides(folder.path, _changed(folder, exercises, decision))
        after = bound(folder, exercises)
        book_files.write_all(folder, after)
    console = Console()
    for text in _said(before, after.book, decision):
        console.print(line(text), markup=False, highlight=False, soft_wrap=True)
    return 0


def _refuse_contradictions(decision: Decision) -> None:
    if decision.remove and (decision.points is not None or decision.reason or decision.bonus):
        raise UsageError("--remove: takes SUBMISSION and EXERCISE alone; points and a reason are for a new decision")
    if not decision.remove and decision.points is None:
        raise UsageError("POINTS: expected a number, or --remove to take a decision back")
    if decision.points is not None and not math.isfinite(decision.points):
        raise UsageError(f"POINTS {decision.points}: expected a number of points")


def _changed(folder: Folder, exercises: list[Exercise], decision: Decision) -> tuple[Override, ...]:
    there = load_overrides(folder.path)
    if decision.points is None:
        return removed(there, decision.entry, decision.exercise)
    new = Override(
        entry=decision.entry,
        exercise=decision.exercise,
        points=decision.points,
        reason=clean(decision.reason).strip(),
        by=clean(decision.by).strip(),
        at=datetime.now(timezone.utc).replace(microsecond=0),
    )
    mapping = folder.mapping()
    return replaced(there, checked(new, mapping, columns_of(mapping, exercises), decision.bonus))


def _said(before: Book, after: Book, decision: Decision) -> list[str]:
    """Old → new, with each person's sum."""
    rows = [(old, new) for old, new in zip(before.rows, after.rows, strict=True) if new.entry == decision.entry]
    if not rows:
        return [f"{decision.entry}, {decision.exercise}: taken back; this submission is not in the batch"]
    was, now = (_grade(book, decision) for book in (before, after))
    lines = [f"{decision.entry}, {decision.exercise}: {_points(was)} → {_points(now)}"]
    for old, new in rows:
        sums = [number(row.final) if row.is_finished else "open" for row in (old, new)]
        lines.append(f"{new.person.id}: sum after lateness {sums[0]} → {sums[1]} of {after.max_points}")
    return lines


def _grade(book: Book, decision: Decision) -> Grade | None:
    grades = (grade for row in book.rows if row.entry == decision.entry for grade in row.grades)
    return next((grade for grade in grades if grade.exercise == decision.exercise), None)


def _points(grade: Grade | None) -> str:
    if grade is None:
        return "no such exercise"
    if grade.is_open:
        return f"open ({grade.flagged})"
    said = "by hand" if grade.override else grade.status.value if grade.status else "no file"
    return f"{number(grade.raw)} of {grade.max_points} ({said})"
