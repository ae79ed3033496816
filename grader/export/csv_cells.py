"""Change single cells of a CSV file and leave every other character as it is.

A cell knows where it stands in the text, so a change puts new characters there and nowhere else: delimiter, quoting,
line ends and a mark at the beginning (BOM) stay as whoever made the file wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


@dataclass(frozen=True)
class Cell:
    """One cell, and where it stands."""

    start: int  # of its characters in the text, quotes included
    end: int
    value: str  # without quotes
    line: int  # of the text, from 1


Row = tuple[Cell, ...]


def rows(text: str, delimiter: str) -> list[Row]:
    """All rows with their cells; an empty line is no row. Raises ValueError with the line of what is malformed."""
    return [row for row in _rows(text, delimiter) if len(row) > 1 or row[0].start < row[0].end]


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    plain = re.compile(rf"[^{re.escape(delimiter)}\r\n]*")
    place, line = len(BOM) * text.startswith(BOM), 1
    row: list[Cell] = []
    while place < len(text) or row:
        cell = _cell(text, place, line, plain)
        row.append(cell)
        place, line = cell.end, line + _lines(text[cell.start : cell.end])
        end = _LINE_END.match(text, place)
        if text.startswith(delimiter, place):
            place += len(delimiter)
        elif end is None and place < len(text):
            raise ValueError(f"line {line}: text after a closing quote: {text[place : place + 20]!r}")
        else:
            yield tuple(row)
            row, place, line = [], end.end() if end else place, line + 1


def _cell(text: str, place: int, line: int, plain: re.Pattern[str]) -> Cell:
    if text.startswith('"', place):
        quoted = _QUOTED.match(text, place)
        if quoted is None:
            raise ValueError(f"line {line}: a quote is opened and never closed")
        return Cell(place, quoted.end(), quoted[1].replace('""', '"'), line)
    found = plain.match(text, place)
    assert found is not None  # it also matches nothing
    return Cell(place, found.end(), found[0], line)


def _lines(text: str) -> int:
    return len(_LINE_END.findall(text))


def changed(text: str, delimiter: str, values: Mapping[Cell, str]) -> str:
    """The text with these cells' values; a cell keeps its quotes, and gets some where the new value needs them."""
    parts, place = [], 0
    for cell in sorted(values, key=lambda cell: cell.start):
        parts += [text[place : cell.start], _written(values[cell], delimiter, text.startswith('"', cell.start))]
        place = cell.end
    return "".join([*parts, text[place:]])


def _written(value: str, delimiter: str, is_quoted: bool) -> str:
    if is_quoted or any(sign in value for sign in (delimiter, '"', "\r", "\n")):
        return '"' + value.replace('"', '""') + '"'
    return value
