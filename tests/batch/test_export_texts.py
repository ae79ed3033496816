"""Spreadsheet, JUnit, Classroom 50 and pages for students: well-formed whatever a student handed in or printed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.batch.late import Policy
from grader.errors import UsageError
from grader.export import classroom50, junit, own_folder, plain_csv, students
from grader.records import Finding
from grader.report import ExerciseReport
from grader.status import Status
from tests.batch.made_up import NOON, SECRET, WRONG, entry, exercise, failed, file, mapping, report, result, results
from tests.batch.made_up import setting as made_setting

HOSTILE = "\x1b[31mred\x00 </testcase>]]> ```` ~~~~\n# heading\n| **bold** <script>alert(1)</script> \ud800 \u202eevil"
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/classroom50.schema.json").read_text(encoding="utf-8"))
EXERCISES = [exercise("adding"), exercise("scaling")]
LATE = Policy(deadline=NOON - timedelta(hours=1), per_day=0.1)
Reports = Mapping[tuple[str, str], ExerciseReport]


def made(*people: str, points: float | None = None, graded: bool = True, **more: Any) -> tuple[Book, Reports]:
    """`adding` is graded (4 of 10) with hostile prints, of `scaling` there is no file."""
    settings = [made_setting("test_small", 4, output=HOSTILE), made_setting("test_hidden", 6, WRONG, hidden=True)]
    found = [result(made=more.pop("report", None) or report("adding", settings))] if graded else []
    decided = (
        [Override(entry="1", exercise="adding", points=points, reason=f"=1+1 {HOSTILE}")] if points is not None else []
    )
    one = entry("1", *people or ("ada",), files=[file("adding")], **more.pop("entry", {}))
    book = bind(mapping(one), EXERCISES, results(*found), decided, **more)
    return book, {(each.exercise, each.name): each.report for each in found}


# -- the table


def table(book: Book) -> list[dict[str, str]]:
    text = plain_csv.table(book)
    assert "\n" not in text.replace("\r\n", "")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+1 x", "'+1 x"),
        ("-x", "'-x"),
        ("@x", "'@x"),
        ("\t=x", "'=x"),
        ("\r=x", "'=x"),
        ("\x1b[0m=x", "'=x"),
        ("＝x", "'＝x"),
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("-12.5", "-12.5"),
        ("+49123", "+49123"),
        ("-1+1", "'-1+1"),
        ("-1\n", "-1"),
        ('a"b,c;d', 'a"b,c;d'),
        ("two\r\nlines", "two lines"),
        ("Ünïcode 名", "Ünïcode 名"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(cell: str, shown: str) -> None:
    assert plain_csv.guarded(cell) == shown
    assert table(made(cell)[0])[0]["id"] == shown


def test_the_table() -> None:
    late = table(made(policy=LATE)[0])[0]
    assert (late["adding status"], late["adding points"], late["scaling status"]) == ("incorrect", "4", "no file")
    assert (late["points"], late["total"], late["max_points"], late["days_late"]) == ("4", "3.6", "20", "1")
    assert (late["submission"], late["submitted_at"]) == ("1", "2026-10-01T12:00:00+00:00")
    by_hand = table(made(points=9.5)[0])[0]
    assert (by_hand["adding points"], by_hand["total"]) == ("9.5", "9.5")
    assert by_hand["by_hand"].startswith("adding: =1+1")


@pytest.mark.parametrize("more", [{"graded": False}, {"report": failed()}])
def test_what_is_open_is_an_empty_cell(more: Any) -> None:
    row = table(made(**more)[0])[0]
    assert (row["adding status"], row["adding points"], row["points"], row["total"]) == ("open", "", "", "")
    assert "adding: " in row["problems"]
    assert SECRET not in plain_csv.table(made(report=failed())[0])


def test_a_line_for_each_of_a_group_and_none_for_nobody() -> None:
    assert [row["id"] for row in table(made("ada", "bob")[0])] == ["ada", "bob"]
    assert table(bind(mapping(), EXERCISES, {})) == []


# -- JUnit


@pytest.mark.parametrize("points", [None, 9, 10])
@pytest.mark.parametrize("graded", [False, True])
def test_junit_is_xml(points: float | None, graded: bool) -> None:
    book, reports = made(points=points, graded=graded, policy=LATE)
    root = ElementTree.fromstring(junit.xml(book.rows, book.columns, reports))
    for suite in [root, *root]:
        cases = list(suite.iter("testcase"))
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(sum(case.find("failure") is not None for case in cases))
        assert suite.get("skipped") == str(sum(case.find("skipped") is not None for case in cases))
    names = {case.get("name") for case in root[0].iter("testcase")}
    assert ("points set by hand" in names) == (points is not None)
    assert ("not decided yet" in names) == (not graded and points is None)
    assert root[1].find("testcase/failure") is not None  # no file
    assert "not decided" not in ElementTree.tostring(root[1], encoding="unicode")
    has_points = root[0].find("properties/property[@name='points']") is not None
    assert has_points == (graded or points is not None)


def test_junit_skips_what_was_not_measured_and_fails_what_is_wrong() -> None:
    blocked = Finding(Status.NOT_MEASURED, "needs a GPU")
    cases = [made_setting("a", 4), made_setting("b", 3, blocked), made_setting("c", 3, WRONG)]
    book, reports = made(report=report("adding", cases))
    suite = ElementTree.fromstring(junit.xml(book.rows, book.columns, reports))[0]
    kinds = {case.get("name"): [c.tag for c in case if c.tag != "system-out"] for case in suite.iter("testcase")}
    assert kinds == {"a": [], "b": ["skipped"], "c": ["failure"]}


# -- Classroom 50


def classroom(book: Book, reports: Reports, **more: Any) -> dict[str, Any] | None:
    options = classroom50.checked(classroom50.Options("cs", "hw2", **more))
    text = classroom50.result_json(book.rows, book.columns, reports, options)
    if text is None:
        return None
    data: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    Draft202012Validator(SCHEMA).validate(data)
    return data


def test_classroom50_after_its_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    data = classroom(*made())
    assert data is not None
    assert (data["owner"], data["score"], data["max-score"], data["datetime"]) == ("ada", 4, 20, "2026-10-01T12:00:00Z")
    assert data["submission"] == "submit/2026-10-01T12-00-00Z"
    assert sum(test["score"] for test in data["tests"]) == 4
    assert sum(test["max-score"] for test in data["tests"]) == 20
    assert [test["passed"] for test in data["tests"]] == [True, False, False]
    late = classroom(*made(policy=Policy(deadline=LATE.deadline, per_day=0.125)))
    assert late is not None
    assert late["score"] == 4  # 3.5, halves up


@pytest.mark.parametrize(("points", "score"), [(0, 0), (8.5, 9), (10, 10), (15, 15), (25, 20)])
def test_classroom50_has_points_by_hand(points: float, score: int) -> None:
    data = classroom(*made(points=points))
    assert data is not None
    assert (data["score"], data["max-score"]) == (score, 20)
    assert data["tests"][0]["passed"] == (score >= 10)


def test_classroom50_says_nothing_before_all_is_decided() -> None:
    assert classroom(*made(graded=False)) is None
    assert classroom(*made(report=failed())) is None


def test_classroom50_takes_what_was_not_measured_out_of_the_maximum() -> None:
    blocked = Finding(Status.NOT_MEASURED, "needs a GPU")
    data = classroom(*made(report=report("adding", [made_setting("a", 4), made_setting("b", 6, blocked)])))
    assert data is not None
    assert (data["score"], data["max-score"]) == (4, 14)


def test_classroom50_needs_a_time() -> None:
    book, reports = made(entry={"submitted_at": None})
    assert classroom(book, reports) is None
    data = classroom(book, reports, submitted_at=datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))))
    assert data is not None
    assert data["datetime"] == "2025-12-31T23:00:00Z"


@pytest.mark.parametrize(("name", "option"), [(("", "hw"), "--classroom"), (("cs", "a b"), "--assignment")])
def test_classroom50_needs_names(name: tuple[str, str], option: str) -> None:
    with pytest.raises(UsageError, match=option):
        classroom50.checked(classroom50.Options(*name))


# -- pages for students


def outside_of_fences(page: str) -> str:
    """What markdown reads as markup: after CommonMark, a fence is closed by one at least as long."""
    found, fence = [], ""
    for line in page.splitlines():
        marks = re.match(r"`{3,}", line)
        if not fence and marks:
            fence = marks[0]
        elif fence and re.fullmatch(f"`{{{len(fence)},}}", line.strip()):
            fence = ""
        elif not fence:
            found.append(line)
    assert not fence
    return "\n".join(found)


@pytest.mark.parametrize("points", [None, 9])
def test_a_page_has_no_markup_of_others(points: float | None) -> None:
    book, reports = made(HOSTILE, points=points)
    page = students.pages(book, reports)[HOSTILE]
    outside = outside_of_fences(page)
    assert "alert(1)" in page
    assert "<script>" not in outside.replace("\\<script\\>", "")
    assert "**bold**" not in outside
    assert not re.search(r"^#+ heading", outside, re.MULTILINE)
    assert not {"\x1b", "\x00", "\u202e", "\ud800"} & set(page)
    assert f"**{points or 4} of 20 points.**" in page
    assert page.isprintable() or page.encode()


def test_a_page_tells_nothing_hidden_and_no_number_that_is_open() -> None:
    for more in ({}, {"graded": False}, {"report": failed()}):
        book, reports = made(**more)
        page = students.pages(book, reports)["ada"]
        assert SECRET not in page
        assert "Traceback" not in page
        assert ("The sum is not known yet" in page) == bool(more)
        assert ("of 20 points" in page) == (not more)


def test_all_submissions_of_a_person_are_on_one_page() -> None:
    book = bind(mapping(entry("1", "ada"), entry("2", "ada", "bob")), EXERCISES, results(result()))
    pages = students.pages(book, {})
    assert list(pages) == ["ada", "bob"]
    assert pages["ada"].count("Submission ") == 2


# -- the folder of files


def test_names_of_files_are_safe_and_differ() -> None:
    ids = ["ada", "ADA", "a/b", "a_b", "../../x", "", ".", "CON:1", "名" * 100, "名" * 101, "x\ud800", "a.b@c.org"]
    names = own_folder.names(ids, ".md")
    assert len({name.casefold() for name in names.values()}) == len(ids)
    assert (names["ada"], names["a.b@c.org"]) == ("ada.md", "a.b@c.org.md")
    for name in names.values():
        assert not set('/\\:*?"<>|\n') & set(name)
        assert not name.startswith(".")
        assert len(name.encode()) < 150


def test_a_folder_holds_what_is_exported_now_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    assert own_folder.write_all(folder, "students", {"a.md": "1", "b.md": "2"}) == ()
    assert own_folder.write_all(folder, "students", {"a.md": "3"}) == ("b.md",)
    assert (folder / "a.md").read_text() == "3"
    assert sorted(p.name for p in folder.iterdir()) == [own_folder.MARK, "a.md"]
    with pytest.raises(UsageError, match="holds an export to students"):
        own_folder.write_all(folder, "junit", {"a.xml": ""})
    (folder / "notes.md").write_text("mine")
    with pytest.raises(UsageError, match=r"holds notes\.md, which no export wrote"):
        own_folder.write_all(folder, "students", {"notes.md": "3"})
    assert (folder / "notes.md").read_text() == "mine"


@pytest.mark.parametrize("mark", ["", "{}", '{"format": "students", "files": ["../batch.json"]}'])
def test_a_damaged_mark_takes_nothing_away(tmp_path: Path, mark: str) -> None:
    (tmp_path / own_folder.MARK).write_text(mark)
    with pytest.raises(UsageError, match="name a new folder"):
        own_folder.write_all(tmp_path, "students", {})
