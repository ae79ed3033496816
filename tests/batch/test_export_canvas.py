"""Canvas: exactly the intended cells change, in whatever dialect the gradebook was exported."""

from __future__ import annotations

import csv
import io

import pytest

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.errors import UsageError
from grader.export import csv_cells
from grader.export.canvas import TOTAL, fill
from tests.batch.made_up import entry, exercise, mapping, result, results

HOMEWORK = "Homework 2 (4711)"
GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (12),Homework 2 (4711),Current Score\r\n"
    ",,,,,Manual Posting,Manual Posting,(read only)\r\n"
    "    Points Possible,,,,,10.00,10.00,(read only)\r\n"
    '"Lovelace, Ada ""A""",101,s1,ada,S1,9.50,,95.0\r\n'
    '"Babbage, Bob",102,s2,bob,S1,"3.00",7.00,50.0\r\n'
    '"Cyd; the ""=1+1""",103,s3,cyd,S1,,EX,\r\n'
    "Dan,104,s4,dan,S1,1,4.00,\r\n"
)


def book(*people: str, **more: Override) -> Book:
    entries = [entry(str(number), person) for number, person in enumerate(people)]
    return bind(mapping(*entries), [exercise("adding")], results(result()), more.values())


def parsed(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter))


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("newline", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_exactly_the_intended_cells_change(delimiter: str, newline: str, mark: str) -> None:
    rows = parsed(GRADEBOOK)
    made = io.StringIO()
    csv.writer(made, delimiter=delimiter, lineterminator=newline).writerows(rows)
    before = mark + made.getvalue()
    filled = fill(before, book("ada", "102", "s3", "dan"), {TOTAL: HOMEWORK})
    after = parsed(filled.text, delimiter)
    changed = {
        (row, column): new
        for row, (olds, news) in enumerate(zip(rows, after, strict=True))
        for column, (old, new) in enumerate(zip(olds, news, strict=True))
        if old != new
    }
    assert changed == {(3, 6): "4.00", (4, 6): "4.00"}  # Cyd is excused, Dan has the points
    assert [(c.person, c.before, c.after) for c in filled.changes] == [("102", "7.00", "4.00"), ("ada", "", "4.00")]
    assert filled.said == (f"s3: {HOMEWORK}: EX is kept",)
    assert filled.text.replace("4.00", "") == before.replace("7.00", "").replace("4.00", "")  # to the byte


def test_who_is_not_there_and_what_is_open_is_said_and_never_added() -> None:
    filled = fill(GRADEBOOK, book("zoe", "ada"), {TOTAL: HOMEWORK})
    assert filled.said == ("zoe: not in the gradebook (by ID, SIS User ID, SIS Login ID); nothing is filled in",)
    nothing = bind(mapping(entry("1", "ada")), [exercise("adding")], {})
    waiting = fill(GRADEBOOK, nothing, {"adding": HOMEWORK})
    assert waiting.text == GRADEBOOK
    assert waiting.said == (f"ada: {HOMEWORK}: not decided yet (adding); nothing is filled in",)


def test_no_cell_is_filled_in_twice() -> None:
    filled = fill(GRADEBOOK, book("ada", "ada"), {TOTAL: HOMEWORK})
    assert filled.changes == ()
    assert filled.said == ("ada: has 2 submissions, and a cell takes one; nothing is filled in",)
    with pytest.raises(UsageError, match="ada and 101 are both line 4"):
        fill(GRADEBOOK, book("101", "ada"), {TOTAL: HOMEWORK})


def test_other_points_possible_are_said() -> None:
    filled = fill(GRADEBOOK.replace("10.00,10.00", "10.00,12.00"), book("ada"), {TOTAL: HOMEWORK})
    assert filled.said == (f"{HOMEWORK}: 12 points are possible in Canvas, 10 in the book",)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (GRADEBOOK, "Homework 3 (4711)", r"no assignment of the gradebook has this heading; there are: Homework 2"),
        (GRADEBOOK, "ID", r"no assignment of the gradebook"),
        (GRADEBOOK.replace("Homework 1 (12)", HOMEWORK), HOMEWORK, r"stands 2 times"),
        (GRADEBOOK.replace(",ada,", ",s2,").replace(",101,", ",ada,"), HOMEWORK, r""),
        (GRADEBOOK.replace("103,s3,cyd", "103,s3,ada"), HOMEWORK, r"ids disagree: line 4, line 6"),
        ("", HOMEWORK, r"has nothing; expected Canvas"),
        ("id,name\n1,x\n", HOMEWORK, r"has id, name; expected Canvas"),
        (GRADEBOOK + '"never closed', HOMEWORK, r"line 8: a quote is opened and never closed"),
    ],
)
def test_what_is_refused(text: str, column: str, message: str) -> None:
    if not message:
        assert fill(text, book("ada"), {TOTAL: column}).changes
        return
    with pytest.raises(UsageError, match=message):
        fill(text, book("ada"), {TOTAL: column})


DIALECTS = (
    "",
    "a",
    "a,b",
    "a,b\n",
    "a,b\r\n,\r\n",
    '"a""b",c\n',
    '"x\ny",z\n',
    "a,\n",
    "\ufeffa,b\n",
    "\n\na,b",
    '"a"b,c',
)


@pytest.mark.parametrize("text", DIALECTS)
def test_cells_are_those_of_the_csv_module(text: str) -> None:
    found = [[cell.value for cell in row] for row in csv_cells.read(text, ",")]
    assert found == [row for row in parsed(text) if row]
