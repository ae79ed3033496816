"""Cells as the csv module reads them, and changes that touch nothing else."""

from __future__ import annotations

import csv
import io
import random

import pytest

from grader.export.csv_cells import Cell, Row, changed, rows


def read(text: str, delimiter: str = ",") -> list[list[str]]:
    """By the standard library; an empty line is no row here."""
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]


def values(text: str, delimiter: str = ",") -> list[list[str]]:
    return [[cell.value for cell in row] for row in rows(text, delimiter)]


def test_any_text_is_read_as_the_csv_module_reads_it() -> None:
    draw = random.Random(7)
    for _ in range(3000):
        text = "".join(draw.choice('a",;\n\r é') for _ in range(draw.randrange(14)))
        try:
            mine = values(text)
        except ValueError:
            continue
        assert mine == read(text), repr(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('a,"b\nc', "line 1: a quote is opened and never closed"),
        ('a\n\n"b"c,d', "line 3: text after a closing quote: 'c,d'"),
        ('"a\nb"\n"c', "line 3: a quote is opened"),
    ],
)
def test_what_is_malformed_is_said_with_its_line(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rows(text, ",")


def test_lines_are_counted_through_quotes() -> None:
    assert [row[0].line for row in rows('a\r\n"b\r\nc",d\r\re', ",")] == [1, 2, 5]


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("new", ["", "7.50", "7,50", "a;b", 'q"q', "two\nlines", " x "])
def test_one_cell_changes_and_nothing_else(delimiter: str, new: str) -> None:
    text = '\ufeff"x;,",b,"c", "d"\r\n\n"","1",,é;\r"last"'.replace(",", delimiter)
    before = rows(text, delimiter)
    for row in before:
        for cell in row:
            after = changed(text, delimiter, {cell: new})
            assert after[: cell.start] == text[: cell.start]
            assert after.endswith(text[cell.end :])
            found = {(old.start, old.value): new.value for old, new in pairs(before, rows(after, delimiter))}
            assert found == {**{(c.start, c.value): c.value for r in before for c in r}, (cell.start, cell.value): new}


def pairs(before: list[Row], after: list[Row]) -> list[tuple[Cell, Cell]]:
    return [both for old, new in zip(before, after, strict=True) for both in zip(old, new, strict=True)]


def test_quotes_stay_where_they_were() -> None:
    text = '"1",2\n'
    first, second = rows(text, ",")[0]
    assert changed(text, ",", {first: "3", second: "4"}) == '"3",4\n'
    assert changed(text, ",", {second: "4,5"}) == '"1","4,5"\n'
    assert changed(text, ",", {}) == text
