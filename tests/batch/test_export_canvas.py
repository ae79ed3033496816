"""Canvas: exactly the intended cells change, in whatever dialect the gradebook was exported."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.batch.late import Policy
from grader.errors import UsageError
from grader.export import csv_cells
from grader.export.canvas import Filled, fill, targets
from grader.export.gradebook import number, read
from tests.batch.made_up import NOON, entry, exercise, failed, file, mapping, result, results

HOMEWORK = "Homework 2 (4711)"
GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Homework 1 (12),Homework 2 (4711),Current Score\r\n"
    ",,,,,,Manual Posting,Manual Posting,(read only)\r\n"
    "    Points Possible,,,,,,10.00,10.00,(read only)\r\n"
    '"Lovelace, Ada ""A""",101,s1,ada,S1,,9.50,,95.0\r\n'
    '"Babbage, Bob",102,s2,bob,S1,,"3.00",7.00,50.0\r\n'
    '"Cyd; the ""=1+1""",103,s3,cyd,S1,"two\r\nlines",,EX,\r\n'
    "Dan,104,s4,dan,S1,,1,4.00,\r\n"
)


def book(*people: str, **more: Any) -> Book:
    entries = [entry(str(number), person) for number, person in enumerate(people)]
    return bind(mapping(*entries), [exercise("adding")], results(result()), **more)


def filled(text: str, grades: Book, *columns: str, match: Sequence[str] = ()) -> Filled:
    gradebook = read(text.encode(), "g.csv")
    return fill(gradebook, grades, targets(columns or (HOMEWORK,), gradebook, grades), match)


def parsed(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter))


def different(before: str, after: str, delimiter: str = ",") -> dict[tuple[int, int], str]:
    return {
        (row, column): new
        for row, (olds, news) in enumerate(zip(parsed(before, delimiter), parsed(after, delimiter), strict=True))
        for column, (old, new) in enumerate(zip(olds, news, strict=True))
        if old != new
    }


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("newline", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_exactly_the_intended_cells_change(delimiter: str, newline: str, mark: str) -> None:
    made = io.StringIO()
    csv.writer(made, delimiter=delimiter, lineterminator=newline).writerows(parsed(GRADEBOOK))
    before = mark + made.getvalue()
    found = filled(before, book("ada", "102", "s3", "dan"))
    assert different(before, found.text, delimiter) == {(3, 7): "4.00", (4, 7): "4.00"}  # Dan has the points already
    assert [(c.person, c.old, c.new) for c in found.changes] == [
        ("102 (102)", "7.00", "4.00"),
        ("ada (Ada)", "", "4.00"),
    ]
    assert found.not_filled == (f"s3 (S3): {HOMEWORK}: stays 'EX' (excused)",)
    assert found.same == 1
    assert found.text.replace("4.00", "") == before.replace("7.00", "").replace("4.00", "")  # to the character


def test_a_cell_keeps_its_quotes() -> None:
    found = filled(GRADEBOOK, book("bob"), "Homework 1 (12)")
    assert found.text == GRADEBOOK.replace('"3.00"', '"4.00"')


def test_decimal_commas_stay_decimal_commas() -> None:
    before = GRADEBOOK.replace(",", ";").replace(".", ",").replace(";\r\n", ";\r\n")
    found = filled(before, book("ada", "dan"))
    assert different(before, found.text, ";") == {(3, 7): "4,00"}
    with_commas = GRADEBOOK.replace("9.50", '"9,50"').replace("7.00", '"7,00"').replace("4.00", '"4,00"')
    with_commas = with_commas.replace("10.00", '"10,00"').replace("3.00", "3,00")
    quoted = filled(with_commas, book("ada", "bob"))
    assert different(with_commas, quoted.text) == {(3, 7): "4,00", (4, 7): "4,00"}


@pytest.mark.parametrize("old", ["EX", "ex", "N/A", "late, see mail", "=1+1", "12 points"])
def test_words_stay_and_are_said(old: str) -> None:
    before = GRADEBOOK.replace("7.00", f'"{old}"')
    found = filled(before, book("bob"))
    assert found.text == before
    assert f"stays {old!r}" in found.not_filled[0]


@pytest.mark.parametrize("old", ["", "-", " ", "0", "3,99", "3.99", "1.000,5"])
def test_numbers_and_empty_cells_are_filled_in(old: str) -> None:
    found = filled(GRADEBOOK.replace("7.00", f'"{old}"'), book("bob"))
    assert parsed(found.text)[4][7] in ("4.00", "4,00")


def test_each_exercise_has_its_own_column() -> None:
    both = entry("1", "ada", files=[file("adding"), file("scaling")])
    grades = bind(
        mapping(both),
        [exercise("adding"), exercise("scaling")],
        results(result(), result("scaling")),
        [Override(entry="1", exercise="scaling", points=9, reason="r")],
        Policy(deadline=NOON - timedelta(hours=1), per_day=0.1),
    )
    found = filled(GRADEBOOK, grades, "adding=Homework 1 (12)", f"scaling={HOMEWORK}")
    assert different(GRADEBOOK, found.text) == {(3, 6): "3.60", (3, 7): "8.10"}
    assert any("lateness is taken off already (1 people)" in note for note in found.notes)
    assert different(GRADEBOOK, filled(GRADEBOOK, grades).text) == {(3, 7): "11.70"}  # (4 + 9) · 0.9


def test_everybody_of_a_group_has_a_cell() -> None:
    grades = bind(mapping(entry("1", "ada", "bob")), [exercise()], results(result()))
    assert different(GRADEBOOK, filled(GRADEBOOK, grades).text) == {(3, 7): "4.00", (4, 7): "4.00"}


@pytest.mark.parametrize("verdicts", [{}, results(result(made=failed()))])
def test_what_is_open_is_said_and_no_number(verdicts: Any) -> None:
    waiting = filled(GRADEBOOK, bind(mapping(entry("1", "bob")), [exercise("adding")], verdicts), f"adding={HOMEWORK}")
    assert waiting.text == GRADEBOOK
    assert waiting.not_filled == (f"bob (Bob): {HOMEWORK}: not decided yet (adding)",)


def test_nobody_is_added_and_nobody_filled_in_twice() -> None:
    assert filled(GRADEBOOK, book("zoe", "ada")).not_filled == ("zoe (Zoe): not in the gradebook",)
    twice = filled(GRADEBOOK, book("ada", "ada"))
    assert twice.text == GRADEBOOK
    assert "has 2 submissions (0, 1); enter the one that counts by hand" in twice.not_filled[0]
    assert filled(GRADEBOOK, bind(mapping(), [exercise()], {})).text == GRADEBOOK


def test_names_are_no_identity() -> None:
    assert filled(GRADEBOOK, book("Dan")).changes == ()  # the login is the same in capitals, and has the points
    renamed = GRADEBOOK.replace(",dan,", ",d.d,")
    assert filled(renamed, book("Dan")).not_filled == ("Dan (Dan): not in the gradebook",)


def test_other_points_possible_are_said() -> None:
    found = filled(GRADEBOOK.replace("10.00,10.00", "10.00,12.00"), book("ada"))
    assert f"{HOMEWORK}: Canvas has 12.00 points possible, the batch 10" in found.notes


TWO_IDS = GRADEBOOK.replace("103,s3,cyd", "ada,s3,cyd")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (GRADEBOOK, "Homework 3 (4711)", r"not in the gradebook; nearest are: 'Homework 2 \(4711\)'"),
        (GRADEBOOK, "Homework 2", r"not in the gradebook; nearest are: 'Homework 2 \(4711\)'"),
        (GRADEBOOK, "ID", r"says who the student is"),
        (GRADEBOOK, "Current Score", r"points possible are '\(read only\)'"),
        (GRADEBOOK, "Notes", r"Canvas would make a new assignment"),
        (GRADEBOOK, f"scaling={HOMEWORK}", r"'scaling' is no exercise of this batch; there are: adding"),
        (GRADEBOOK.replace("Homework 1 (12)", HOMEWORK), HOMEWORK, r"stands in the gradebook 2 times"),
        (TWO_IDS, HOMEWORK, r"ada: ID: line 6; SIS Login ID: line 4"),
        (GRADEBOOK.replace("s3,cyd", "s3,ADA"), HOMEWORK, r"ada: SIS Login ID: line 4, 6"),
        ("", HOMEWORK, r"g.csv: expected a header as Canvas exports it"),
        ("id,name\n1,x\n", HOMEWORK, r"g.csv: expected a header .* found 'id,name'"),
        (GRADEBOOK + '"never closed', HOMEWORK, r"g.csv: line 9: a quote is opened and never closed"),
        (GRADEBOOK + "Eve,105,s5,eve,S1\r\n", HOMEWORK, r"g.csv:9: 5 cells, where the header has 9"),
        (GRADEBOOK + "\0", HOMEWORK, r"binary data"),
    ],
)
def test_what_is_refused(text: str, column: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        filled(text, book("ada"), column)


def test_one_column_can_settle_a_doubt() -> None:
    assert different(TWO_IDS, filled(TWO_IDS, book("ada"), match=["SIS Login ID"]).text) == {(3, 7): "4.00"}
    with pytest.raises(UsageError, match="expected one of ID, SIS User ID, SIS Login ID"):
        filled(TWO_IDS, book("ada"), match=["Student"])


def test_two_people_never_share_a_line() -> None:
    with pytest.raises(UsageError, match="101 and ada are both line 4"):
        filled(GRADEBOOK, book("101", "ada"))


@pytest.mark.parametrize(
    "columns", [(HOMEWORK, HOMEWORK), (HOMEWORK, "Homework 1 (12)"), (HOMEWORK, f"adding={HOMEWORK}")]
)
def test_a_column_is_filled_once(columns: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="belong together once"):
        filled(GRADEBOOK, book("ada"), *columns)


def test_a_gradebook_in_another_encoding_is_refused() -> None:
    with pytest.raises(UsageError, match=r"g.csv: not UTF-8 at byte \d+; export the gradebook from Canvas anew"):
        read(GRADEBOOK.replace("Dan", "Dän").encode("latin-1"), "g.csv")


@pytest.mark.parametrize(
    ("text", "value"),
    [("4", 4), ("4,5", 4.5), ("1,000.5", 1000.5), ("1.000,5", 1000.5), (".5", 0.5), ("-1", -1)]
    + [(text, None) for text in ("", "nan", "inf", "1e3", "EX", ".", "-", "١")],
)
def test_numbers_are_those_of_canvas(text: str, value: float | None) -> None:
    assert number(text) == value


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
    "a\rb",
)


@pytest.mark.parametrize("text", DIALECTS)
def test_cells_are_those_of_the_csv_module(text: str) -> None:
    found = [[cell.value for cell in row] for row in csv_cells.rows(text, ",")]
    assert found == [row for row in parsed(text) if row]


def test_text_behind_a_quote_is_refused() -> None:
    with pytest.raises(ValueError, match="line 2: text after a closing quote: 'b,c'"):
        csv_cells.rows('x\n"a"b,c', ",")
