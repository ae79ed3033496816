"""One page in markdown for each person: every exercise with its points and what the student may read of each case.

What a student wrote or printed stands in a fence longer than any in it, so that it cannot become a heading, a link or
html where the page is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.batch.book import Book, Column, Grade, Row
from grader.export import feedback
from grader.export.feedback import Reports, number
from grader.report import CaseReport, ExerciseReport
from grader.status import Status

MAX_TEXT = 20_000
"""Characters of what is said of one case; prints are cut in the report already."""

_MARKUP = re.compile(r"([\\`*_\[\]<>&#|~$])")
_FENCES = re.compile(r"`{3,}")


def pages(book: Book, reports: Reports) -> dict[str, str]:
    """Each person's page, by their id; somebody with several submissions has all of them on it."""
    found: dict[str, list[Row]] = {}
    for row in book.rows:
        found.setdefault(row.person.id, []).append(row)
    return {person: page(rows, book.columns, reports) for person, rows in found.items()}


def page(rows: Sequence[Row], columns: Sequence[Column], reports: Reports) -> str:
    """One person's page."""
    person = rows[0].person
    blocks = [f"# {_inline(person.name or person.id)}"]
    for row in rows:
        blocks += _submission(row, columns, reports)
    return "\n\n".join(blocks) + "\n"


def _submission(row: Row, columns: Sequence[Column], reports: Reports) -> Iterator[str]:
    facts = [f"Submission {_inline(row.entry)}"]
    if row.submitted_at:
        facts.append(f"handed in {row.submitted_at.isoformat(' ', 'minutes')}")
    yield ", ".join(facts)
    yield _sum(row)
    for grade, column in zip(row.grades, columns, strict=True):
        yield from _exercise(grade, column, reports.get((grade.exercise, grade.result)))


def _sum(row: Row) -> str:
    if not row.is_finished:
        return "**The sum is not known yet**: an exercise below is not decided."
    most = sum(grade.max_points for grade in row.grades)
    late = f" {feedback.lateness(row)}" if row.days_late else ""
    return f"**{number(row.final)} of {most} points.**{late}"


def _exercise(grade: Grade, column: Column, report: ExerciseReport | None) -> Iterator[str]:
    yield f"## {_inline(column.title)} ({_inline(grade.exercise)})"
    if grade.is_open:
        yield feedback.undecided(grade)
        return
    yield f"{number(grade.raw)} of {grade.max_points} points"
    if grade.override is not None:
        yield _fenced(feedback.by_hand(grade))
    elif grade.not_measured_points:
        yield f"{grade.not_measured_points} points could not be measured here: neither earned nor lost."
    if grade.status is None:
        yield feedback.NO_FILE
    for case in feedback.cases(report) if report else ():
        yield from _case(case, counts=grade.override is None)


def _case(case: CaseReport, counts: bool) -> Iterator[str]:
    points = f", {case.points} of {case.max_points} points" if counts and not _is_unmeasured(case) else ""
    title = f": {_inline(case.title)}" if case.title else ""
    yield f"### {_inline(case.name)}{title}\n\n{_inline(case.status.value)}{points}"
    text = feedback.explanation(case)
    if text:
        yield _fenced(text)


def _is_unmeasured(case: CaseReport) -> bool:
    return bool(case.not_measured_points) or case.status is Status.NOT_MEASURED


def _inline(text: str) -> str:
    """One line in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", " ".join(feedback.clean(text).split()))


def _fenced(text: str) -> str:
    """The text as it is, in a fence that it cannot close."""
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}\n… ({len(text) - MAX_TEXT:,} more characters)"
    fence = "`" * max([3, *(len(run) + 1 for run in _FENCES.findall(text))])
    return f"{fence}text\n{text}\n{fence}"
