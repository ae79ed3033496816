"""One table for spreadsheets and scripts, after RFC 4180: a line for each person and submission, in UTF-8.

Numbers are numbers, with a point. A text that a spreadsheet would run as a formula gets an apostrophe in front; a text
that is a number stays as it is. What is not decided has no number: its cells are empty, and its status is `open`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from grader.batch.book import Book, Grade, Row
from grader.export import feedback

OPEN, NO_FILE = "open", "no file"
_FORMULA = tuple("=+-@＝＋－＠\t\r\n")
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")


def table(book: Book) -> str:
    """The file's text."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(map(guarded, _header(book)))
    for row in book.rows:
        writer.writerow([cell if isinstance(cell, int | float) else guarded(cell) for cell in _cells(row)])
    return stream.getvalue()


def guarded(text: str) -> str:
    """One line that no spreadsheet runs: RFC 4180 has no word for that, so an apostrophe stands in front."""
    plain = " ".join(feedback.clean(text).split())
    return f"'{plain}" if plain.startswith(_FORMULA) and not _NUMBER.fullmatch(plain) else plain


def _header(book: Book) -> Iterator[str]:
    yield from ("id", "name", "email", "submission", "submitted_at", "days_late")
    for column in book.columns:
        yield from (f"{column.exercise} status", f"{column.exercise} points")
    yield from ("points", "total", "max_points", "not_measured_points", "by_hand", "problems")


def _cells(row: Row) -> Iterator[str | float]:
    yield from (row.person.id, row.person.name, row.person.email, row.entry)
    yield row.submitted_at.isoformat(timespec="seconds") if row.submitted_at else ""
    yield row.days_late
    for grade in row.grades:
        yield _status(grade)
        yield "" if grade.is_open else feedback.number(grade.raw)
    yield feedback.number(row.points) if row.is_finished else ""
    yield feedback.number(row.final) if row.is_finished else ""
    yield sum(grade.max_points for grade in row.grades)
    yield sum(grade.not_measured_points for grade in row.grades if not grade.is_open and not grade.override)
    yield " | ".join(f"{g.exercise}: {g.override.reason}" for g in row.grades if g.override)
    yield " | ".join([*(f"{g.exercise}: {g.flagged}" for g in row.grades if g.is_open), *row.problems])


def _status(grade: Grade) -> str:
    if grade.is_open:
        return OPEN
    return grade.status.value if grade.status else NO_FILE
