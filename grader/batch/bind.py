"""Bind a book: from who handed in what, and the verdicts that there are, to what every person gets.

A pure function, so a book can be made anew at any time, also while a batch still runs. Nothing is made up: what has no
verdict is flagged, and a flagged grade shows the points of an older verdict or none at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from grader.batch import mapping as table
from grader.batch.book import Book, Column, Grade, Override, Row
from grader.batch.late import Policy, lateness
from grader.batch.mapping import Entry, FileEntry, Person
from grader.batch.result import Result
from grader.exercise import Exercise
from grader.status import Status

Results = Mapping[tuple[str, str], Result]
"""Verdicts by the exercise's name and the file's content."""

NOT_GRADED = "not graded yet: run the batch again"
OURS = "the grader failed: run the batch again, or decide by hand (`grader override`)"
SUSPECT = "suspect: a time below what the device can do; look at it, then decide by hand (`grader override`)"


def bind(
    mapping: table.Mapping,
    exercises: Sequence[Exercise],
    results: Results,
    overrides: Iterable[Override] = (),
    policy: Policy | None = None,
    older: Results | None = None,
) -> Book:
    """The book; `older` has good results of the same files that were made under other conditions."""
    decided = {(override.entry, override.exercise): override for override in overrides}
    rows = []
    for entry in mapping.entries:
        grades = tuple(_grade(entry, e, results, older or {}, decided.get((entry.id, e.name))) for e in exercises)
        rows += [_row(entry, person, grades, policy) for person in entry.people]
    rows.sort(key=lambda row: (row.person.id, row.entry))
    columns = tuple(Column(exercise=e.name, title=e.title, max_points=e.max_points) for e in exercises)
    problems = (*mapping.problems, *_of_nobody(mapping, exercises, decided), *_unused_extensions(rows, policy))
    return Book(columns=columns, rows=tuple(_twice(rows)), problems=problems)


def _grade(entry: Entry, exercise: Exercise, results: Results, older: Results, decided: Override | None) -> Grade:
    file = next((file for file in entry.files if file.exercise == exercise.name), None)
    if file is None:
        return _filled(exercise, decided, status=None)
    now, before = (found.get((exercise.name, file.content)) for found in (results, older))
    if now is not None and not now.is_ours:
        flagged = SUSPECT if _is_suspect(now) else ""
        return _from_result(exercise, now, flagged, decided)
    reason = NOT_GRADED if now is None else OURS
    if before is not None and not before.is_ours:
        return _from_result(exercise, before, f"older: the points are of an older verdict; {reason}", decided)
    if now is not None:
        return _filled(exercise, decided, status=Status.GRADER_ERROR, result=now.name, flagged=reason)
    return _filled(exercise, decided, status=Status.NOT_RUN, flagged=reason)


def _is_suspect(result: Result) -> bool:
    return any(case.status is Status.SUSPECT for case in result.report.cases)


def _from_result(exercise: Exercise, result: Result, flagged: str, decided: Override | None) -> Grade:
    report = result.report
    return _filled(
        exercise,
        decided,
        status=report.status,
        points=report.points,
        max_points=report.max_points,  # of the tests that gave these points
        not_measured=report.not_measured_points,
        result=result.name,
        flagged=flagged,
    )


def _filled(
    exercise: Exercise,
    decided: Override | None,
    status: Status | None,
    points: int = 0,
    max_points: int | None = None,
    not_measured: int = 0,
    result: str = "",
    flagged: str = "",
) -> Grade:
    return Grade(
        exercise=exercise.name,
        status=status,
        points=points,
        max_points=exercise.max_points if max_points is None else max_points,
        not_measured_points=not_measured,
        result=result,
        flagged=flagged,
        override=decided,
    )


def _row(entry: Entry, person: Person, grades: tuple[Grade, ...], policy: Policy | None) -> Row:
    mark = entry.is_late
    if policy is not None and entry.submitted_at is None and person.id in policy.extensions:
        mark = None  # the LMS means the deadline of all the others
    days, factor = lateness(entry.submitted_at, mark, policy.for_person(person.id) if policy else None)
    return Row(
        person=person,
        entry=entry.id,
        submitted_at=entry.submitted_at,
        days_late=days,
        late_factor=factor,
        grades=grades,
        problems=(*entry.problems, *_doubts_of_time(entry, person, days, policy), *_outdated(entry.files, grades)),
    )


def _doubts_of_time(entry: Entry, person: Person, days: int, policy: Policy | None) -> Iterator[str]:
    if policy is None or not entry.files:
        return
    if entry.submitted_at is None:
        if person.id in policy.extensions:
            yield "the time of handing in is not known: counted as within this person's extension"
        elif entry.is_late:
            yield "late by the LMS's mark, the time is not known: counted as one day"
        elif entry.is_late is None:
            yield "the time of handing in is not known: counted as in time"
    elif entry.is_late and not days and person.id not in policy.extensions:
        yield "late by the LMS's mark, in time by the late policy: are both deadlines the same?"
    elif entry.is_late is False and days:
        yield "in time by the LMS's mark, late by the late policy: are both deadlines the same?"


def _outdated(files: Sequence[FileEntry], grades: Sequence[Grade]) -> Iterator[str]:
    """Overrides that were decided about another version of a file; they are kept."""
    contents = {file.exercise: file.content for file in files}
    for grade in grades:
        about = grade.override.content if grade.override else None
        if about is not None and about != contents.get(grade.exercise, ""):
            yield f"{grade.exercise}: the file has changed since its points were set by hand; look again"


def _of_nobody(
    mapping: table.Mapping, exercises: Sequence[Exercise], decided: Mapping[tuple[str, str], Override]
) -> Iterator[str]:
    entries, names = {entry.id for entry in mapping.entries}, {exercise.name for exercise in exercises}
    for entry, exercise in decided:
        if entry not in entries or exercise not in names:
            missing = f"submission {entry}" if entry not in entries else f"exercise {exercise}"
            yield f"overrides.json: {entry}, {exercise}: points were set by hand and are kept; there is no {missing}"


def _unused_extensions(rows: Sequence[Row], policy: Policy | None) -> Iterator[str]:
    known = {row.person.id for row in rows}
    for person in policy.extensions if policy else ():
        if person not in known:
            yield f"late policy: extensions.{person}: nobody with this id handed in anything"


def _twice(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows, where those of a person with several submissions say so."""
    count = Counter(row.person.id for row in rows)
    for row in rows:
        if count[row.person.id] == 1:
            yield row
            continue
        others = [other.entry for other in rows if other.person.id == row.person.id and other.entry != row.entry]
        said = f"{row.person.id} also belongs to {', '.join(others)}; one line each, and no LMS takes both"
        yield row.model_copy(update={"problems": (*row.problems, said)})
