"""Spreadsheet, JUnit, Classroom 50 and pages for students: well-formed whatever a student handed in or printed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.export import classroom50, junit, plain_csv, students
from grader.report import ExerciseReport
from tests.batch.made_up import WRONG, entry, exercise, file, mapping, report, result, results, setting

HOSTILE = "\x1b[31mred\x00 </testcase>]]> ```` | **bold** <script>alert(1)</script> \ud800 \u202eevil"
Reports = Mapping[tuple[str, str], ExerciseReport]


def made(person: str = "ada", by_hand: bool = False, graded: bool = True) -> tuple[Book, Reports]:
    hostile = report(
        "adding", [setting("test_small", 4, output=HOSTILE), setting("test_hidden", 6, WRONG, hidden=True)]
    )
    found = [result(made=hostile)] if graded else []
    decided = [Override(entry="1", exercise="adding", points=9, reason=f"=1+1 {HOSTILE[:40]}")] if by_hand else []
    exercises = [exercise("adding"), exercise("scaling")]
    book = bind(mapping(entry("1", person, files=[file("adding")])), exercises, results(*found), decided)
    return book, {(each.exercise, each.name): each.report for each in found}


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=cmd|' /C calc'!A0"])
def test_no_cell_is_a_formula(cell: str) -> None:
    book, _ = made(cell)
    rows = list(csv.reader(io.StringIO(plain_csv.text(book), newline="")))
    assert rows[1][0].startswith("'") or rows[1][0][0] not in "=+-@\t\r"
    assert all(cell[:1] not in ("=", "+", "@", "\t", "\r") for row in rows for cell in row)


def test_the_table() -> None:
    book, _ = made()
    heading, row = csv.reader(io.StringIO(plain_csv.text(book), newline=""))
    cells = dict(zip(heading, row, strict=True))
    assert cells["adding status"] == "incorrect"
    assert (cells["adding points /10"], cells["scaling status"]) == ("4", "no file")
    assert (cells["points"], cells["final /20"]) == ("4", "4")
    heading, row = csv.reader(io.StringIO(plain_csv.text(made(graded=False)[0]), newline=""))
    cells = dict(zip(heading, row, strict=True))
    assert (cells["adding status"], cells["adding points /10"], cells["points"]) == ("open", "", "")
    assert "adding: not graded yet" in cells["problems"]


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize("graded", [False, True])
def test_junit_is_xml(by_hand: bool, graded: bool) -> None:
    book, reports = made(by_hand=by_hand, graded=graded)
    root = ElementTree.fromstring(junit.text(book.rows[0], reports))
    for suite in root:
        cases = list(suite)
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(sum(case.find("failure") is not None for case in cases))
        assert suite.get("skipped") == str(sum(case.find("skipped") is not None for case in cases))
    names = [case.get("name") for case in root[0]]
    assert ("points set by hand" in names) == by_hand
    assert ("not decided yet" in names) == (not graded and not by_hand)
    assert root[1][0].find("failure") is not None  # no file


def test_classroom50_says_nothing_before_all_is_decided() -> None:
    book, reports = made()
    data = json.loads(classroom50.text(book.rows[0], reports, "cs", "hw2") or "")
    assert (data["schema"], data["score"], data["max-score"]) == ("classroom50/result/v1", 4, 20)
    assert sum(test["score"] for test in data["tests"]) == 4
    assert [test["passed"] for test in data["tests"]] == [True, False, False]
    assert classroom50.text(made(graded=False)[0].rows[0], {}, "cs", "hw2") is None


def test_a_page_for_a_student_has_no_markup_of_others() -> None:
    book, reports = made(by_hand=True)
    page = students.page(book.rows[0], reports)
    outside, fence = [], ""
    for line in page.splitlines():
        if line.startswith("```") and (not fence or line == fence):
            fence = "" if fence else line
        elif not fence:
            outside.append(line)
    assert not fence
    assert "<script>" not in "\n".join(outside)
    assert not any("**bold**" in line for line in outside)
    assert "\x1b" not in page
    assert "**9 of 20 points.**" in page
    assert "not decided yet" in students.page(made(graded=False)[0].rows[0], {})
