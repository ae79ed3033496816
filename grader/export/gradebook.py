"""A gradebook that Canvas has exported, read: which lines are students, which columns are assignments.

Canvas writes `Student` (or `LastName`, `FirstName`), `ID`, perhaps `SIS User ID`, `SIS Login ID`, …, `Section`, columns
of the course's own, `TITLE (NUMBER)` for each assignment, and sums that cannot be imported. Below the header stand
perhaps a line on manual posting, and one with the points possible.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.errors import UsageError
from grader.export.csv_cells import BOM, Row, rows

IDS = ("ID", "SIS User ID", "SIS Login ID")
"""Columns that say who a line is about. Names are no identity."""
DELIMITERS = (",", ";")
_POINTS = "points possible"
_NUMBERED = re.compile(r"\(\d+\)$")
_NUMBER = re.compile(r"-?(?=[.,]?[0-9])[0-9.,]{1,20}")
_DECIMALS = re.compile(r"-?[0-9]*([.,])[0-9]{1,2}")


@dataclass(frozen=True)
class Gradebook:
    """The file's text, and its cells."""

    text: str
    delimiter: str
    header: Row
    points: Row  # the points possible; empty where there is no such line
    students: tuple[Row, ...]

    @property
    def titles(self) -> list[str]:
        """Of all columns."""
        return [cell.value.strip() for cell in self.header]

    @property
    def ids(self) -> dict[str, int]:
        """Where the columns are that say who a line is about."""
        return {name: self.titles.index(name) for name in IDS if name in self.titles}

    @property
    def assignments(self) -> list[int]:
        """Columns that Canvas takes grades from."""
        start = self.titles.index("Section") + 1
        return [place for place in range(start, len(self.header)) if not self.refusal(place)]

    @property
    def decimal_sign(self) -> str:
        """A comma where all of the file's numbers have one, else a point, which Canvas always takes."""
        lines = [*self.students, self.points] if self.points else self.students
        cells = [line[place].value for line in lines for place in self.assignments if place < len(line)]
        signs = {found[1] for cell in cells if (found := _DECIMALS.fullmatch(cell.strip()))}
        return "," if signs == {","} else "."

    def refusal(self, place: int) -> str:
        """Why a column takes no grades; empty for one that does."""
        if place <= self.titles.index("Section"):
            return "says who the student is"
        possible = self.points[place].value.strip() if place < len(self.points) else ""
        if possible and number(possible) is None:
            return f"cannot be written to; its points possible are {possible!r}"
        if not _NUMBERED.search(self.titles[place]):
            return "has no assignment's number behind its title; Canvas would make a new assignment of it"
        return ""

    def column(self, title: str) -> int:
        """Where the assignment with this title is; raises UsageError with the nearest ones where there is none."""
        found = [place for place, there in enumerate(self.titles) if there == title.strip()]
        if not found:
            raise UsageError(f"--column {title!r}: not in the gradebook; {self._nearest(title)}")
        if len(found) > 1:
            raise UsageError(f"--column {title!r}: stands in the gradebook {len(found)} times; which one is meant?")
        refusal = self.refusal(found[0])
        if refusal:
            raise UsageError(f"--column {title!r}: this column {refusal}; {self._nearest(title)}")
        return found[0]

    def _nearest(self, title: str) -> str:
        known = {self.titles[place].casefold(): self.titles[place] for place in self.assignments}
        wanted = title.strip().casefold()
        begun = [name for name in known if wanted and name.startswith(wanted)]  # the number was left out
        near = [known[name] for name in begun[:3] or difflib.get_close_matches(wanted, known, n=3, cutoff=0.4)]
        shown = ", ".join(repr(name) for name in near or list(known.values())[:5]) or "none that takes grades"
        return f"{'nearest are' if near else 'there are'}: {shown}; write title and number as they stand there"


def number(text: str) -> float | None:
    """A cell's number as Canvas reads it: the last point or comma is the decimal sign. None for anything else."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    whole, sign, rest = text.strip().replace(",", ".").rpartition(".")
    return float(whole.replace(".", "") + sign + rest)


def read(data: bytes, name: str) -> Gradebook:
    """The gradebook in a file's bytes; raises UsageError, with the file's name, for what is none or is damaged."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: not UTF-8 at byte {error.start}; {_ANEW}") from None
    if "\0" in text:
        raise UsageError(f"{name}: expected a gradebook as CSV, found binary data; {_ANEW}")
    delimiter = _delimiter(text, name)
    try:
        found = rows(text, delimiter)
    except ValueError as error:
        raise UsageError(f"{name}: {error}; {_ANEW}") from None
    header, *lines = found
    points = next((line for line in lines if line[0].value.strip().casefold() == _POINTS), ())
    book = Gradebook(text, delimiter, header, points, ())
    students = tuple(line for line in lines if line is not points and _is_a_student(line, book.ids.values()))
    _refuse_ragged(students, header, name)
    return Gradebook(text, delimiter, header, points, students)


_ANEW = "export the gradebook from Canvas anew, and do not save it in a spreadsheet in between"


def _delimiter(text: str, name: str) -> str:
    """The one by which the first line is a gradebook's header."""
    first = next(iter(text.removeprefix(BOM).splitlines()), "")
    for delimiter in DELIMITERS:
        try:
            titles = [cell.value.strip() for row in rows(first, delimiter)[:1] for cell in row]
        except ValueError:
            continue
        if titles[:1] in (["Student"], ["LastName"]) and "Section" in titles and any(each in titles for each in IDS):
            return delimiter
    raise UsageError(
        f"{name}: expected a header as Canvas exports it (Student, ID, …, Section, assignments), found {first[:80]!r}"
    )


def _is_a_student(line: Row, ids: Iterable[int]) -> bool:
    return any(line[place].value.strip() for place in ids if place < len(line))


def _refuse_ragged(students: Sequence[Row], header: Row, name: str) -> None:
    for line in students:
        if len(line) != len(header):
            where = f"{name}:{line[0].line}: {len(line)} cells, where the header has {len(header)}"
            raise UsageError(f"{where}; {_ANEW}")
