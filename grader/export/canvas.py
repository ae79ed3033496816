"""Canvas: the gradebook that a TA has exported, with grades filled in.

Only the cells of the chosen columns change, and only those of people of the book; every other character stays. People
are found by the columns that Canvas itself goes by, never by their names. What is not decided is not filled in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.batch.book import Book, Row
from grader.errors import UsageError
from grader.export import feedback
from grader.export.csv_cells import Cell, changed
from grader.export.gradebook import Gradebook, number
from grader.export.gradebook_people import Lines, matched

NO_SCORE = ("", "-")


@dataclass(frozen=True)
class Target:
    """A column to fill."""

    place: int
    title: str
    exercise: str | None  # None: the sum of all
    max_points: int


@dataclass(frozen=True)
class Change:
    """A cell that gets another value."""

    person: str
    title: str
    old: str
    new: str


@dataclass(frozen=True)
class Filled:
    """The new text, and all that a TA should know of it."""

    text: str
    changes: tuple[Change, ...]
    same: int  # cells that have the value already
    not_filled: tuple[str, ...]  # who, and why
    notes: tuple[str, ...]


def targets(columns: Sequence[str], gradebook: Gradebook, book: Book) -> list[Target]:
    """What `--column` says: `EXERCISE=TITLE (NUMBER)`, or the title alone for the sum. Raises UsageError."""
    if not columns:
        titles = ", ".join(repr(gradebook.titles[place]) for place in gradebook.assignments) or "none"
        raise UsageError(f"--column: expected a column's title, or EXERCISE=TITLE; the gradebook has: {titles}")
    found = [_target(column, gradebook, book) for column in columns]
    for one in found:
        same = [other for other in found if one.place == other.place or one.exercise == other.exercise]
        if len(same) > 1:
            what = one.exercise or "the sum"
            raise UsageError(f"--column {one.title!r}: {what} and this column belong together once, found {len(same)}")
    return found


def _target(column: str, gradebook: Gradebook, book: Book) -> Target:
    name, sign, title = column.partition("=")
    exercise = next((c for c in book.columns if sign and c.exercise == name.strip()), None)
    if exercise is None or column.strip() in gradebook.titles:
        if title.strip() in gradebook.titles and column.strip() not in gradebook.titles:
            there = ", ".join(c.exercise for c in book.columns)
            raise UsageError(f"--column {column!r}: {name.strip()!r} is no exercise of this batch; there are: {there}")
        place = gradebook.column(column)
        return Target(place, gradebook.titles[place], None, book.max_points)
    place = gradebook.column(title)
    return Target(place, gradebook.titles[place], exercise.exercise, exercise.max_points)


def fill(gradebook: Gradebook, book: Book, chosen: Sequence[Target], match: Sequence[str] = ()) -> Filled:
    """Fill the columns in. `match` names the only columns to find people by. Raises UsageError for doubtful people."""
    theirs = _by_id(book)
    lines, absent = matched(gradebook, [rows[0].person for rows in theirs.values()], match)
    not_filled = [f"{_who(theirs[person][0])}: not in the gradebook" for person in absent]
    values: dict[Cell, str] = {}
    changes: list[Change] = []
    same, sign = 0, gradebook.decimal_sign
    for person, target in ((person, target) for person in lines for target in chosen):
        rows, cell = theirs[person], lines[person][target.place]
        reason = _undecided(rows, target) or _kept(cell.value)
        if reason:
            not_filled.append(f"{_who(rows[0])}: {target.title}: {reason}")
        elif _has(cell.value, _points(rows[0], target)):
            same += 1
        else:
            values[cell] = f"{_points(rows[0], target):.2f}".replace(".", sign)
            changes.append(Change(_who(rows[0]), target.title, cell.value.strip(), values[cell]))
    text = changed(gradebook.text, gradebook.delimiter, values)
    return Filled(text, tuple(changes), same, tuple(not_filled), tuple(_notes(gradebook, book, chosen, lines)))


def _by_id(book: Book) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in book.rows:
        found.setdefault(row.person.id, []).append(row)
    return found


def _who(row: Row) -> str:
    name = row.person.name
    return " ".join(feedback.clean(f"{row.person.id} ({name})" if name else row.person.id).split())


def _undecided(rows: Sequence[Row], target: Target) -> str:
    """Why there are no points to fill in; empty where there are some."""
    if len(rows) > 1:
        entries = ", ".join(row.entry for row in rows)
        return f"has {len(rows)} submissions ({entries}); enter the one that counts by hand"
    names = [g.exercise for g in rows[0].grades if g.is_open and target.exercise in (None, g.exercise)]
    return f"not decided yet ({', '.join(names)})" if names else ""


def _points(row: Row, target: Target) -> float:
    """After lateness, to two decimals."""
    if target.exercise is None:
        return row.final
    points = next(grade.raw for grade in row.grades if grade.exercise == target.exercise)
    return round(points * row.late_factor, 2)


def _has(old: str, points: float) -> bool:
    """Whether the cell says so already, at the two decimals that Canvas compares."""
    found = number(old)
    return found is not None and round(found, 2) == points


def _kept(old: str) -> str:
    """Why a cell keeps what it has: it is neither empty nor a number."""
    plain = old.strip()
    if plain in NO_SCORE or number(plain) is not None:
        return ""
    meaning = {"EX": " (excused)", "N/A": " (not assigned)"}.get(plain.upper(), "")
    return f"stays {plain!r}{meaning}"


def _notes(gradebook: Gradebook, book: Book, chosen: Sequence[Target], lines: Lines) -> Iterator[str]:
    for target in chosen:
        possible = gradebook.points[target.place].value.strip() if target.place < len(gradebook.points) else ""
        if number(possible) != target.max_points:
            yield f"{target.title}: Canvas has {possible or 'no'} points possible, the batch {target.max_points}"
    written = [row for row in book.rows if row.person.id in lines]
    late = sum(row.late_factor < 1 for row in written)
    if late:
        yield f"lateness is taken off already ({_people(late)}): a late policy in Canvas would take it off once more"
    names = {target.exercise for target in chosen}
    blank = [_unmeasured(row, names) for row in written]
    if any(blank):
        yield (
            f"points that were not measured count as not earned in Canvas: {_people(sum(map(bool, blank)))}, up to "
            f"{max(blank)} each; grade on a device that measures them first"
        )
    others = len(gradebook.students) - len(lines)
    if others:
        yield f"of the gradebook, not in the batch: {_people(others)}; nothing of theirs changes"


def _unmeasured(row: Row, names: set[str | None]) -> int:
    grades = [g for g in row.grades if (None in names or g.exercise in names) and not g.is_open and not g.override]
    return sum(grade.not_measured_points for grade in grades)


def _people(count: int) -> str:
    return f"{count} {'person' if count == 1 else 'people'}"
