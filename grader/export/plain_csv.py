"""One table for spreadsheets: a line for each person, after RFC 4180, with no cell that a spreadsheet would execute."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from grader.batch.book import Book, Grade, Row
from grader.export.feedback import clean, number

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def text(book: Book) -> str:
    """The table; a grade that nobody has decided is an empty cell, and then so are the sums."""
    found = io.StringIO()
    writer = csv.writer(found, lineterminator="\r\n")
    writer.writerow(_heading(book))
    writer.writerows(_cells(book, row) for row in book.rows)
    return found.getvalue()


def guarded(cell: str) -> str:
    """The cell, with an apostrophe before what a spreadsheet would take for a formula."""
    plain = clean(cell)
    return f"'{plain}" if plain.startswith(_FORMULA) else plain


def _heading(book: Book) -> list[str]:
    columns = [name for c in book.columns for name in (f"{c.exercise} status", f"{c.exercise} points /{c.max_points}")]
    return [
        *("id", "name", "email", "submission", "submitted at", "days late"),
        *columns,
        *("points", f"final /{book.max_points}", "not measured", "problems"),
    ]


def _cells(book: Book, row: Row) -> list[str]:
    return [
        guarded(row.person.id),
        guarded(row.person.name),
        guarded(row.person.email),
        guarded(row.entry),
        row.submitted_at.isoformat() if row.submitted_at else "",
        str(row.days_late),
        *(cell for grade in row.grades for cell in _of(grade)),
        number(row.points) if row.is_finished else "",
        number(row.final) if row.is_finished else "",
        str(sum(grade.not_measured_points for grade in row.grades)),
        guarded("; ".join(_said(row))),
    ]


def _of(grade: Grade) -> tuple[str, str]:
    if grade.is_open:
        return "open", ""
    status = "by hand" if grade.override else grade.status.value if grade.status else "no file"
    return status, number(grade.raw)


def _said(row: Row) -> Iterator[str]:
    yield from (f"{grade.exercise}: {grade.flagged}" for grade in row.grades if grade.is_open)
    yield from row.problems
