"""Canvas: what is written, read as Canvas reads it, has exactly the intended cells changed."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.batch.late import Policy
from grader.batch.mapping import Person
from grader.batch.result import Result
from grader.errors import UsageError
from grader.export.canvas import Filled, fill, targets
from grader.export.gradebook import number, read
from grader.records import Finding
from grader.status import Status
from tests.batch.made_up import (
    NOON,
    entry,
    exercise,
    failed,
    file,
    full_report,
    mapping,
    report,
    result,
    results,
    setting,
)

HEADER = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Adding (11),Scaling (12),Total (13),Current Score,Final Score"
)
MANUAL = ",,,,,,Manual Posting,,,,"
POSSIBLE = "    Points Possible,,,,,,10.00,10.00,20.00,(read only),(read only)"
ADA = '"Lovelace, Ada",101,s1,ada@example.org,"A, B",x,,,,10.00,10.00'
BOB = "=HYPERLINK(),102,s2,bob,A,,4.00,EX,7.25,,"
CYD = '"Cyd ""C""\nD",103,s3,cyd,A,,N/A,3.00,"1.00",,'
DAN = "Dan,104,s4,dan,A,,-,,4,,"
TEST = '"Student, Test",199,,74b87337,A,,,,,,'
GRADEBOOK = "\r\n".join([HEADER, MANUAL, POSSIBLE, ADA, BOB, CYD, DAN, TEST]) + "\r\n"

EXERCISES = [exercise("adding"), exercise("scaling")]
LATE = Policy(deadline=NOON - timedelta(hours=1), per_day=0.1)


def book(*people: str, found: tuple[Result, ...] | None = None, **more: Any) -> Book:
    """Each has 4 of 10 in both exercises, unless results say otherwise."""
    entries = [entry(str(n), person, files=[file("adding"), file("scaling")]) for n, person in enumerate(people)]
    verdicts = (result("adding"), result("scaling")) if found is None else found
    return bind(mapping(*entries), EXERCISES, results(*verdicts), **more)


def filled(made: Book, *columns: str, text: str = GRADEBOOK, match: tuple[str, ...] = ()) -> Filled:
    gradebook = read(text.encode(), "grades.csv")
    return fill(gradebook, made, targets(columns or ("Total (13)",), gradebook, made), match)


def imported(text: str, delimiter: str = ",") -> list[list[str]]:
    """As Canvas does it: lines of separators alone are skipped, numbers have their last sign as the decimal one."""
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    return [[normalized(cell) for cell in row] for row in rows if any(cell.strip(" ") for cell in row)]


def normalized(cell: str) -> str:
    if not cell or any(sign not in "-0123456789.,%" for sign in cell):
        return cell
    whole, sign, rest = cell.replace(",", ".").rpartition(".")
    return whole.replace(".", "") + sign + rest


def differences(before: str, after: str, delimiter: str = ",") -> dict[tuple[str, str], str]:
    """(ID, column) → new, of every cell that an import would see changed."""
    old, new = imported(before, delimiter), imported(after, delimiter)
    return {
        (row[1], title): now
        for row, other in zip(old, new, strict=True)
        for title, was, now in zip(old[0], row, other, strict=True)
        if was != now
    }


def test_the_sum_is_filled_in_and_nothing_else_changes() -> None:
    found = filled(book("101", "s2", "CYD", "104"))
    assert differences(GRADEBOOK, found.text) == {(n, "Total (13)"): "8.00" for n in ("101", "102", "103", "104")}
    expected = GRADEBOOK.replace(",x,,,,10.00", ",x,,,8.00,10.00").replace("7.25", "8.00")
    assert found.text == expected.replace('"1.00"', '"8.00"').replace("-,,4,", "-,,8.00,")
    assert [(c.person, c.old, c.new) for c in found.changes] == [
        ("101 (101)", "", "8.00"),
        ("104 (104)", "4", "8.00"),
        ("CYD (Cyd)", "1.00", "8.00"),
        ("s2 (S2)", "7.25", "8.00"),
    ]
    assert found.not_filled == ()
    assert found.notes == ("of the gradebook, not in the batch: 1 person; nothing of theirs changes",)


def test_a_column_for_each_exercise() -> None:
    columns = ("adding=Adding (11)", "scaling=Scaling (12)")
    found = filled(book("101", "102", "103", "104"), *columns)
    assert differences(GRADEBOOK, found.text) == {
        ("101", "Adding (11)"): "4.00",
        ("101", "Scaling (12)"): "4.00",
        ("103", "Scaling (12)"): "4.00",
        ("104", "Adding (11)"): "4.00",
        ("104", "Scaling (12)"): "4.00",
    }
    assert found.same == 1
    assert found.not_filled == (
        "102 (102): Scaling (12): stays 'EX' (excused)",
        "103 (103): Adding (11): stays 'N/A' (not assigned)",
    )


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("names", [False, True])
def test_semicolons_and_decimal_commas(mark: str, end: str, names: bool) -> None:
    rows = list(csv.reader(io.StringIO(GRADEBOOK, newline="")))
    made = io.StringIO()
    lines = [[cell.replace(".", ",") if number(cell) is not None else cell for cell in row] for row in rows]
    if names:
        lines = [["LastName", "FirstName", *lines[0][1:]], *([row[0], "", *row[1:]] for row in lines[1:])]
    csv.writer(made, delimiter=";", lineterminator=end).writerows(lines)
    before = mark + made.getvalue()
    after = filled(book("101", "102"), text=before).text
    assert after.count("8,00") == 2
    assert after.replace(";8,00;", ";#;") == before.replace(";x;;;;", ";x;;;#;").replace(";7,25;", ";#;")


def test_decimal_commas_between_commas_are_quoted() -> None:
    text = GRADEBOOK.replace("10.00", '"10,00"').replace("20.00", '"20,00"').replace("7.25", '"7,25"')
    text = text.replace("4.00", '"4,00"').replace("3.00", '"3,00"').replace('"1.00"', '"1,00"')
    found = filled(book("101"), text=text)
    assert '"8,00"' in found.text
    assert differences(text, found.text) == {("101", "Total (13)"): "8.00"}


def test_where_signs_are_mixed_it_is_a_point() -> None:
    assert ",8.00," in filled(book("101"), text=GRADEBOOK.replace("7.25", '"7,25"')).text


def test_lateness_is_taken_off_once() -> None:
    found = filled(book("101", policy=LATE), "adding=Adding (11)", "Total (13)")
    assert differences(GRADEBOOK, found.text) == {("101", "Adding (11)"): "3.60", ("101", "Total (13)"): "7.20"}
    assert any("lateness is taken off already (1 person)" in note for note in found.notes)


def test_points_by_hand_count() -> None:
    decided = Override(entry="0", exercise="adding", points=9.5, reason="seen")
    found = filled(book("101", found=(result("scaling"),), overrides=[decided]))
    assert differences(GRADEBOOK, found.text) == {("101", "Total (13)"): "13.50"}


@pytest.mark.parametrize("ours", [(), (result("scaling", made=failed("scaling")),)])
def test_what_is_open_is_not_filled_in(ours: tuple[Result, ...]) -> None:
    made = book("102", found=(result("adding", made=full_report()), *ours))
    found = filled(made, "Total (13)", "adding=Adding (11)", "scaling=Scaling (12)")
    assert differences(GRADEBOOK, found.text) == {("102", "Adding (11)"): "10.00"}
    assert found.not_filled == tuple(
        f"102 (102): {title}: not decided yet (scaling)" for title in ("Total (13)", "Scaling (12)")
    )


def test_a_group_gets_a_cell_for_each() -> None:
    made = bind(mapping(entry("1", "101", "102")), EXERCISES[:1], results(result()))
    found = filled(made, "adding=Adding (11)", "Total (13)")
    assert differences(GRADEBOOK, found.text) == {
        ("101", "Adding (11)"): "4.00",
        ("101", "Total (13)"): "4.00",
        ("102", "Total (13)"): "4.00",
    }
    assert "Total (13): Canvas has 20.00 points possible, the batch 10" in found.notes


def test_who_is_not_there_is_said_and_not_added() -> None:
    found = filled(book("zoe", "Dan", "Lovelace, Ada"))  # the second is a login, the third is a name
    assert differences(GRADEBOOK, found.text) == {("104", "Total (13)"): "8.00"}
    assert found.not_filled == (
        "Lovelace, Ada (Lovelace, Ada): not in the gradebook",
        "zoe (Zoe): not in the gradebook",
    )


def test_an_address_is_a_login() -> None:
    people = (Person(id="a-1", name="A", email="Ada@Example.org"),)
    entries = entry("1").model_copy(update={"people": people})
    made = bind(mapping(entries), EXERCISES[:1], results(result()))
    assert differences(GRADEBOOK, filled(made).text) == {("101", "Total (13)"): "4.00"}


def test_an_empty_book_changes_nothing() -> None:
    found = filled(bind(mapping(), EXERCISES, {}))
    assert found.text == GRADEBOOK
    assert found.changes == found.not_filled == ()


def test_somebody_with_two_submissions_is_left_to_a_person() -> None:
    found = filled(book("101", "101", "102"))
    assert differences(GRADEBOOK, found.text) == {("102", "Total (13)"): "8.00"}
    assert found.not_filled == ("101 (101): Total (13): has 2 submissions (0, 1); enter the one that counts by hand",)


def test_what_was_not_measured_is_said() -> None:
    blocked = Finding(Status.NOT_MEASURED, "needs a GPU")
    partly = result("adding", made=report("adding", [setting("a", 4), setting("b", 6, blocked)]))
    made = book("101", found=(partly, result("scaling")))
    assert any("points that were not measured" in note and "1 person, up to 6" in note for note in filled(made).notes)
    assert not any("not measured" in note for note in filled(made, "scaling=Scaling (12)").notes)


@pytest.mark.parametrize(
    ("people", "text", "words"),
    [
        (("s1",), GRADEBOOK.replace("102,s2", "102,s1"), "s1: SIS User ID: line 4, 5"),
        (("102",), GRADEBOOK.replace("103,s3", "103,102"), "102: ID: line 5; SIS User ID: line 6"),
        (("cyd",), GRADEBOOK.replace("104,s4", "104,cyd"), "cyd: SIS User ID: line 8; SIS Login ID: line 6"),
        (("101", "s1"), GRADEBOOK, "101 and s1 are both line 4"),
    ],
)
def test_doubt_about_who_is_who_refuses_all(people: tuple[str, ...], text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        filled(book(*people), text=text)


def test_one_column_to_go_by_ends_the_doubt() -> None:
    text = GRADEBOOK.replace("103,s3", "103,102")
    found = filled(book("102"), text=text, match=("ID",))
    assert differences(text, found.text) == {("102", "Total (13)"): "8.00"}
    assert filled(book("102"), match=("SIS Login ID",)).not_filled == ("102 (102): not in the gradebook",)
    with pytest.raises(UsageError, match="--match 'Student': expected one of ID, SIS User ID, SIS Login ID"):
        filled(book("102"), match=("Student",))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (("Totl (13)",), "--column 'Totl \\(13\\)': not in the gradebook; nearest are: 'Total \\(13\\)'"),
        (("Total",), "not in the gradebook; nearest are: 'Total \\(13\\)'"),
        (("Section",), "says who the student is"),
        (("ID",), "says who the student is"),
        (("Notes",), "no assignment's number"),
        (("Final Score",), "cannot be written to; its points possible are '\\(read only\\)'"),
        (("adding=Addin (11)",), "'Addin \\(11\\)': not in the gradebook"),
        (("addign=Adding (11)",), "'addign' is no exercise of this batch; there are: adding, scaling"),
        (("Total (13)", "Total (13)"), "belong together once"),
        (("adding=Adding (11)", "scaling=Adding (11)"), "belong together once"),
        (("adding=Adding (11)", "adding=Total (13)"), "belong together once"),
    ],
)
def test_columns_that_cannot_be_meant(columns: tuple[str, ...], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        filled(book("101"), *columns)


def test_without_a_column_it_says_which_there_are() -> None:
    gradebook = read(GRADEBOOK.encode(), "grades.csv")
    with pytest.raises(UsageError, match="the gradebook has: 'Adding \\(11\\)', 'Scaling \\(12\\)', 'Total \\(13\\)'"):
        targets((), gradebook, book("101"))


def test_titles_may_be_anything() -> None:
    title = 'x=y, "adding=z" ü (13)'
    quoted = '"' + title.replace('"', '""') + '"'
    text = GRADEBOOK.replace("Total (13)", quoted)
    for column in (title, f" {title} "):
        assert filled(book("101"), column, text=text).changes[0].title == title
    assert filled(book("101"), f"adding={title}", text=text).changes[0].new == "4.00"
    with pytest.raises(UsageError, match="stands in the gradebook 2 times"):
        filled(book("101"), text=GRADEBOOK.replace("Adding (11)", "Total (13)"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "expected a header as Canvas exports it"),
        (b"id,name\n1,x\n", "found 'id,name'"),
        (GRADEBOOK.encode("utf-16"), "not UTF-8"),
        (GRADEBOOK.replace("Dan", "Dän").encode("latin-1"), "not UTF-8 at byte"),
        (GRADEBOOK.replace("Dan", "D\0n").encode(), "found binary data"),
        (GRADEBOOK.replace("74b", '"74b').encode(), "line 9: a quote is opened and never closed"),
        (GRADEBOOK.replace("Dan,104", "Dan,104,extra").encode(), "grades.csv:8: 12 cells, where the header has 11"),
        (GRADEBOOK.replace(",", "\t").encode(), "expected a header"),
    ],
)
def test_what_is_no_gradebook_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read(data, "grades.csv")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8.0),
        (" 8.50 ", 8.5),
        ("8,5", 8.5),
        ("1.234,50", 1234.5),
        ("1,234.50", 1234.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1", -1.0),
        ("", None),
        ("-", None),
        ("EX", None),
        ("85%", None),
        ("1e3", None),
        ("nan", None),
        ("٣", None),
        ("9" * 400, None),
        ("=1", None),
    ],
)
def test_numbers_as_canvas_reads_them(text: str, value: float | None) -> None:
    assert number(text) == value


def test_a_title_without_its_number_is_known() -> None:
    text = GRADEBOOK.replace("Adding (11)", "Homework 1 (11)").replace("Scaling (12)", "Homework 2 (4711)")
    with pytest.raises(UsageError, match="nearest are: 'Homework 2 \\(4711\\)'; write title and number"):
        filled(book("101"), "homework 2", text=text)
