"""The book of a batch's folder, made anew from all that lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.batch.bind import Results, bind
from grader.batch.book import Book
from grader.batch.folder import Folder
from grader.batch.late import load_policy
from grader.batch.mapping import Mapping
from grader.batch.overrides import load_overrides
from grader.batch.result import Result
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.report import ExerciseReport


@dataclass(frozen=True)
class Bound:
    """A book, and the reports that its grades name: by the exercise's name and `Grade.result`."""

    book: Book
    reports: dict[tuple[str, str], ExerciseReport]


def bound(folder: Folder, exercises: Sequence[Exercise]) -> Bound:
    """What everybody gets by now. `exercises` are the course's; the columns are those that the batch is about."""
    mapping = folder.mapping()
    columns = columns_of(mapping, exercises)
    now, older = _verdicts(folder, mapping)
    policy = load_policy(folder.policy) if folder.policy.exists() else None
    book = bind(mapping, columns, now, load_overrides(folder.path), policy, older)
    named = {grade.result for row in book.rows for grade in row.grades}
    found = {(r.exercise, r.name): r.report for r in (*older.values(), *now.values()) if r.name in named}
    return Bound(book, found)


def columns_of(mapping: Mapping, exercises: Sequence[Exercise]) -> list[Exercise]:
    """The exercises of the table, in the course's order; raises UsageError for one that the course does not have."""
    known = {exercise.name for exercise in exercises}
    missing = [name for name in mapping.exercises if name not in known]
    if missing:
        raise UsageError(
            f"the batch is about {', '.join(missing)}, which this course does not have; is it another one's?"
        )
    return [exercise for exercise in exercises if exercise.name in mapping.exercises]


def _verdicts(folder: Folder, mapping: Mapping) -> tuple[Results, Results]:
    """Those of the last run's conditions, and the newest good ones of others."""
    current = {name: folder.current(name) for name in mapping.exercises}
    handed_in = {(file.exercise, file.content) for entry in mapping.entries for file in entry.files}
    now: dict[tuple[str, str], Result] = {}
    older: dict[tuple[str, str], Result] = {}
    for result in folder.results():
        key = (result.exercise, result.content)
        if key not in handed_in:
            continue
        if result.conditions == current.get(result.exercise):
            now[key] = result
        elif not result.is_ours:
            older[key] = result
    return now, older
