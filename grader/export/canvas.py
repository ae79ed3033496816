"""Canvas: points filled into the gradebook that the TA has exported from it; no other cell of the file changes.

Canvas makes a new student of every line that it does not know, and a new assignment of every column. So nothing is
added: a line is found by its ids, never by a name, and a column by its whole heading, `Title (id)`.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.batch.book import Book, Row
from grader.batch.mapping import Person
from grader.errors import UsageError
from grader.export import csv_cells
from grader.export.csv_cells import Cell, Place

ID_COLUMNS = ("ID", "SIS User ID", "SIS Login ID")
TOTAL = ""
"""Stands for the sum of all exercises, after lateness, where a column is chosen."""
_KEPT = ("EX", "N/A")  # excused, not assigned
_CLOSE = 0.005  # Canvas compares to two decimals

Table = list[list[Cell]]


@dataclass(frozen=True)
class Change:
    """One cell that gets another value."""

    person: str
    column: str
    before: str
    after: str


@dataclass(frozen=True)
class Filled:
    """The gradebook's new text, and what a TA should know before it is imported."""

    text: str
    changes: tuple[Change, ...]
    said: tuple[str, ...]


def fill(text: str, book: Book, columns: Mapping[str, str]) -> Filled:
    """Fill in the columns: heading by exercise, or by TOTAL. Raises UsageError for a file or a heading that is none."""
    rows = _read(text)
    heading = [cell.value.strip() for cell in rows[0]]
    places = {name: _column(heading, wanted) for name, wanted in columns.items()}
    lines, said = _lines(rows, heading, book)
    said += _points_possible(rows, places, heading, book)
    values: dict[Place, str] = {}
    changes: list[Change] = []
    for row in book.rows:
        line = lines.get(row.person.id)
        for name, column in places.items() if line is not None else ():
            assert line is not None
            points, why = _points(row, name, book)
            before = rows[line][column].value if column < len(rows[line]) else None
            problem = why or _refusal(before)
            if problem:
                said.append(f"{row.person.id}: {heading[column]}: {problem}")
            elif points is not None and before is not None and not _is_same(before, points):
                values[line, column] = f"{points:.2f}"
                changes.append(Change(row.person.id, heading[column], before, f"{points:.2f}"))
    return Filled(csv_cells.changed(text, rows, values), tuple(changes), tuple(said))


def _read(text: str) -> Table:
    try:
        rows = csv_cells.read(text, csv_cells.delimiter_of(text))
    except ValueError as error:
        raise UsageError(f"the gradebook is not a CSV file: {error}") from None
    heading = [cell.value.strip() for cell in rows[0]] if rows else []
    if "Section" not in heading or "ID" not in heading:
        shown = ", ".join(heading[:6]) or "nothing"
        raise UsageError(
            f"the gradebook's first line has {shown}; expected Canvas' own export with ID and Section "
            "(Grades › Export › Export Entire Gradebook)"
        )
    return rows


def _column(heading: Sequence[str], wanted: str) -> int:
    found = [place for place, name in enumerate(heading) if name == wanted]
    assignments = heading[heading.index("Section") + 1 :]
    if len(found) == 1 and wanted in assignments:
        return found[0]
    if len(found) > 1:
        raise UsageError(f"--column {wanted!r}: stands {len(found)} times in the gradebook")
    near = difflib.get_close_matches(wanted, assignments, n=3, cutoff=0.3) or assignments[:3]
    raise UsageError(
        f"--column {wanted!r}: no assignment of the gradebook has this heading; there are: {'; '.join(near) or 'none'} "
        "(make the assignment in Canvas, then export the gradebook again)"
    )


def _lines(rows: Table, heading: Sequence[str], book: Book) -> tuple[dict[str, int], list[str]]:
    """The line of each person; what is said of those who have none."""
    ids = {name: heading.index(name) for name in ID_COLUMNS if name in heading}
    lines: dict[str, int] = {}
    said: list[str] = []
    count = Counter(row.person.id for row in book.rows)
    for person in dict.fromkeys(row.person for row in book.rows):
        hits = sorted({line for column in ids.values() for line in _with(rows, column, person)})
        where = ", ".join(f"line {line + 1}" for line in hits)
        if len(hits) > 1:
            raise UsageError(f"{person.id}: the gradebook's ids disagree: {where} all match; nothing was filled in")
        if hits and hits[0] in lines.values():
            other = next(name for name, line in lines.items() if line == hits[0])
            raise UsageError(f"{person.id} and {other} are both {where} of the gradebook; nothing was filled in")
        if not hits:
            said.append(f"{person.id}: not in the gradebook (by {', '.join(ids)}); nothing is filled in")
        elif count[person.id] > 1:
            said.append(f"{person.id}: has {count[person.id]} submissions, and a cell takes one; nothing is filled in")
        else:
            lines[person.id] = hits[0]
    return lines, said


def _with(rows: Table, column: int, person: Person) -> list[int]:
    names = {person.id.casefold(), person.email.casefold()} - {""}
    return [
        number
        for number, cells in enumerate(rows[1:], start=1)
        if column < len(cells) and cells[column].value.strip().casefold() in names
    ]


def _points_possible(rows: Table, places: Mapping[str, int], heading: Sequence[str], book: Book) -> list[str]:
    line = next((cells for cells in rows[1:] if cells[0].value.strip() == "Points Possible"), None)
    if line is None:
        return []
    most = {**{column.exercise: column.max_points for column in book.columns}, TOTAL: book.max_points}
    return list(_other_points(line, places, heading, most))


def _other_points(
    line: Sequence[Cell], places: Mapping[str, int], heading: Sequence[str], most: Mapping[str, int]
) -> Iterator[str]:
    for name, column in places.items():
        possible = _number(line[column].value) if column < len(line) else None
        if possible is not None and possible != most[name]:
            yield f"{heading[column]}: {possible:g} points are possible in Canvas, {most[name]} in the book"


def _points(row: Row, name: str, book: Book) -> tuple[float | None, str]:
    """The points after lateness; why there are none."""
    grades = [grade for grade in row.grades if name in (TOTAL, grade.exercise)]
    waiting = [grade.exercise for grade in grades if grade.is_open]
    if waiting:
        return None, f"not decided yet ({', '.join(waiting)}); nothing is filled in"
    return round(sum(grade.raw for grade in grades) * row.late_factor, 2), ""


def _refusal(before: str | None) -> str:
    if before is None:
        return "the line ends before this column; nothing is filled in"
    return f"{before} is kept" if before.strip() in _KEPT else ""


def _is_same(before: str, points: float) -> bool:
    found = _number(before)
    return found is not None and abs(found - points) < _CLOSE


def _number(text: str) -> float | None:
    parse: Callable[[str], float] = float
    try:
        return parse(text.strip().replace(",", "."))
    except ValueError:
        return None
