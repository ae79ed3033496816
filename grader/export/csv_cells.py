"""Change single cells of a CSV file's text; every other character stays as it is.

A reader that writes the whole file anew would change its quoting, line ends and decimal commas, and an LMS that takes
its own file back may take such a change for another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Place = tuple[int, int]
"""Row and column, from 0."""


@dataclass(frozen=True)
class Cell:
    """One cell: its value, and where its text stands in the file."""

    value: str
    start: int
    end: int


def delimiter_of(text: str) -> str:
    """`,` or `;`, whichever stands more often in the first line outside of quotes."""
    line = text.split("\n", 1)[0]
    plain = "".join(part for number, part in enumerate(line.split('"')) if number % 2 == 0)
    return ";" if plain.count(";") > plain.count(",") else ","


def read(text: str, delimiter: str) -> list[list[Cell]]:
    """All rows with their cells. Raises ValueError for a quote that is never closed."""
    rows: list[list[Cell]] = [[]]
    position = 1 if text.startswith("\ufeff") else 0
    while position < len(text):
        cell, position = _cell(text, position, delimiter)
        rows[-1].append(cell)
        if position >= len(text):
            break
        if text[position] == delimiter:
            position += 1
            if position == len(text):
                rows[-1].append(Cell("", position, position))
            continue
        position += 2 if text.startswith("\r\n", position) else 1
        rows.append([])
    return [row for row in rows if len(row) > 1 or (row and row[0].start < row[0].end)]  # not lines with nothing


def _cell(text: str, start: int, delimiter: str) -> tuple[Cell, int]:
    """The cell that begins here, and where it ends."""
    if text[start] != '"':
        end = start
        while end < len(text) and text[end] not in f"{delimiter}\r\n":
            end += 1
        return Cell(text[start:end], start, end), end
    end = start + 1
    while True:
        end = text.find('"', end)
        if end < 0:
            line = text.count("\n", 0, start) + 1
            raise ValueError(f"line {line}: a quote is opened and never closed")
        if not text.startswith('""', end):
            break
        end += 2
    value = text[start + 1 : end].replace('""', '"')
    rest = end + 1
    while rest < len(text) and text[rest] not in f"{delimiter}\r\n":
        rest += 1
    return Cell(value + text[end + 1 : rest], start, rest), rest


def changed(text: str, rows: Sequence[Sequence[Cell]], values: Mapping[Place, str]) -> str:
    """The text with new values in these cells, which are plain numbers and need no quotes."""
    edits = sorted((rows[row][column].start, rows[row][column].end, value) for (row, column), value in values.items())
    parts, position = [], 0
    for start, end, value in edits:
        parts += [text[position:start], value]
        position = end
    return "".join([*parts, text[position:]])
