"""Table, JUnit, Classroom 50 and pages for students: well-formed whatever was printed, no number for what is open."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.batch.late import Policy
from grader.batch.result import Result
from grader.errors import UsageError
from grader.export import classroom50, junit, plain_csv, students
from grader.export.feedback import Reports
from grader.records import Finding
from grader.status import Status
from tests.batch import hostile
from tests.batch.made_up import (
    NOON,
    SECRET,
    WRONG,
    entry,
    exercise,
    failed,
    file,
    mapping,
    report,
    result,
    results,
    setting,
)

EXERCISES = [exercise("adding"), exercise("scaling")]
BOTH = entry("1", "ada", files=[file("adding"), file("scaling")])
ONE = entry("1", "ada", files=[file("adding")])
LATE = Policy(deadline=NOON - timedelta(hours=30), per_day=0.1)
BLOCKED = Finding(Status.NOT_MEASURED, "needs a GPU")
PARTLY = result("adding", made=report("adding", [setting("test_small", 4), setting("timed", 6, BLOCKED)]))
OURS: list[list[Result]] = [[], [result("scaling", made=failed("scaling"))]]


def by_hand(points: float, reason: str = "seen in the lab") -> dict[str, Any]:
    return {"overrides": [Override(entry="1", exercise="adding", points=points, reason=reason)]}


def bound(*found: Result, handed: Any = BOTH, **more: Any) -> tuple[Book, Reports]:
    book = bind(mapping(handed), EXERCISES, results(*found), **more)
    return book, {(one.exercise, one.name): one.report for one in found}


def test_an_older_verdict_is_nowhere_published_as_the_new_one() -> None:
    older = result("scaling", key="k0")
    book, reports = bound(result("adding"), older=results(older))
    known = {**reports, ("scaling", older.name): older.report}
    assert book.rows[0].grades[1].result == older.name
    assert [case.get("name") for case in suites(book, known)[1].iter("testcase")] == ["not decided yet"]
    assert classroom(book, known) is None
    assert "test\\_hidden" not in students.pages(book, known)["ada"].partition("## The exercise scaling")[2]
    assert table(book)[0]["scaling points"] == ""


# -- the table


def table(book: Book) -> list[dict[str, str]]:
    text = plain_csv.table(book)
    assert text.endswith("\r\n")
    assert "\n" not in text.replace("\r\n", "")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_the_table() -> None:
    book, _ = bound(PARTLY, result("scaling"), policy=LATE)
    assert table(book) == [
        {
            "id": "ada",
            "name": "Ada",
            "email": "ada@example.org",
            "submission": "1",
            "submitted_at": "2026-10-01T12:00:00+00:00",
            "days_late": "2",
            "adding status": "passed",
            "adding points": "4",
            "scaling status": "incorrect",
            "scaling points": "4",
            "points": "8",
            "total": "6.4",
            "max_points": "20",
            "not_measured_points": "6",
            "by_hand": "",
            "problems": "",
        }
    ]


@pytest.mark.parametrize("ours", OURS)
def test_the_table_has_no_number_for_what_is_open(ours: list[Result]) -> None:
    (row,) = table(bound(result("adding"), *ours)[0])
    assert (row["adding points"], row["scaling status"], row["scaling points"]) == ("4", "open", "")
    assert (row["points"], row["total"]) == ("", "")
    assert row["problems"].startswith("scaling: ")


def test_the_table_of_nobody_is_a_header() -> None:
    assert table(bind(mapping(), EXERCISES, {})) == []


def test_the_table_has_a_line_for_each_of_a_group_and_says_what_was_decided_by_hand() -> None:
    group = entry("1", "bob", "ada", files=[])
    rows = table(bound(handed=group, **by_hand(9.5))[0])
    assert [(row["id"], row["adding points"], row["scaling status"]) for row in rows] == [
        ("ada", "9.5", "no file"),
        ("bob", "9.5", "no file"),
    ]
    assert rows[0]["by_hand"] == "adding: seen in the lab"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30 123", "'+49 30 123"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'=1"),
        ("\r=1", "'=1"),
        ("  =1", "'=1"),
        ("＝1", "'＝1"),
        ("-5", "-5"),
        ("+5.25", "+5.25"),
        ("-5-5", "'-5-5"),
        ("-5e5", "'-5e5"),
        ("007", "007"),
        ("a=b", "a=b"),
        ("a\nb\x1b[2J", "a b"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula_and_numbers_stay(text: str, cell: str) -> None:
    assert plain_csv.guarded(text) == cell


def test_a_hostile_table_is_a_table() -> None:
    book, _ = hostile.made("=HYPERLINK()")
    (row,) = table(book)
    assert row["name"].startswith("'=cmd|")
    assert row["email"] == "'-1+1@example.org"
    assert not any(cell.startswith(tuple("=+-@\t\r\n")) for cell in row.values())


# -- JUnit


def suites(book: Book, reports: Reports) -> list[ElementTree.Element]:
    text = junit.xml(book.rows, book.columns, reports)
    assert "\r" not in text
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert element.get("tests") == str(len(cases))
        for name, tag in (("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
            assert element.get(name) == str(sum(case.find(tag) is not None for case in cases))
    return list(root)


def properties(suite: ElementTree.Element) -> dict[str | None, str | None]:
    return {each.get("name"): each.get("value") for each in suite.iter("property")}


def test_junit_has_a_suite_for_each_exercise() -> None:
    adding, scaling = suites(*bound(PARTLY, result("scaling"), policy=LATE))
    assert [(case.get("name"), [child.tag for child in case]) for case in adding.iter("testcase")] == [
        ("test_small", []),
        ("timed", ["skipped"]),
    ]
    failure = scaling.find("testcase[@name='test_hidden']/failure")
    assert failure is not None
    assert failure.get("type") == "incorrect"
    assert SECRET not in (failure.text or "")
    assert properties(scaling) == {
        "title": "The exercise scaling",
        "status": "incorrect",
        "points": "4",
        "max_points": "10",
        "lateness": "2 days late: 0.8 of the points are left.",
    }
    assert properties(adding)["not_measured_points"] == "6"
    assert adding.get("timestamp") == "2026-10-01T12:00:00+00:00"
    assert adding.get("time") == "1.000"


@pytest.mark.parametrize("ours", OURS)
def test_junit_of_what_is_open_is_skipped_without_points(ours: list[Result]) -> None:
    suite = suites(*bound(result("adding"), *ours))[1]
    assert [(case.get("name"), [child.tag for child in case]) for case in suite.iter("testcase")] == [
        ("not decided yet", ["skipped"])
    ]
    assert properties(suite) == {"title": "The exercise scaling"}


@pytest.mark.parametrize(("points", "failures"), [(9.5, 1), (10.0, 0), (12.0, 0)])
def test_junit_of_points_by_hand(points: float, failures: int) -> None:
    suite, missing = suites(*bound(handed=entry("1", files=[]), **by_hand(points)))
    assert suite.get("failures") == str(failures)
    assert properties(suite)["by_hand"] == "Set by hand: seen in the lab"
    assert missing.find("testcase[@name='no file']/failure") is not None


@pytest.mark.parametrize("reason", ["", hostile.PRINTS])
@pytest.mark.parametrize("open_grade", [False, True])
def test_junit_is_xml_whatever_was_printed(reason: str, open_grade: bool) -> None:
    assert len(suites(*hostile.made(reason, open_grade))) == 2


# -- Classroom 50

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/classroom50.schema.json").read_text(encoding="utf-8"))
CLASSROOM = classroom50.Options("kernels", "hw2")


def classroom(book: Book, reports: Reports, options: classroom50.Options = CLASSROOM) -> dict[str, Any] | None:
    text = classroom50.result_json(book.rows, book.columns, reports, options, len(book.rows) > 1)
    if text is None:
        return None
    data: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    Draft202012Validator(SCHEMA).validate(data)
    assert data["score"] <= data["max-score"]
    assert all(test["score"] <= test["max-score"] for test in data["tests"])
    assert sum(test["max-score"] for test in data["tests"]) == data["max-score"]
    return data


def test_classroom50() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    data = classroom(*bound(result("adding"), result("scaling")))
    assert data is not None
    tests = data.pop("tests")
    assert data == {
        "schema": "classroom50/result/v1",
        "classroom": "kernels",
        "assignment": "hw2",
        "assignment_type": "individual",
        "owner": "ada",
        **dict.fromkeys(("submission", "commit", "release", "review"), "submit/2026-10-01T12-00-00Z"),
        "datetime": "2026-10-01T12:00:00Z",
        "score": 8,
        "max-score": 20,
    }
    assert [(t["test-name"], t["passed"], t["score"], t["max-score"]) for t in tests[:2]] == [
        ("adding: test_small", True, 4, 4),
        ("adding: test_hidden", False, 0, 6),
    ]
    assert SECRET not in json.dumps(tests)


@pytest.mark.parametrize("ours", OURS)
def test_classroom50_waits_for_what_is_open(ours: list[Result]) -> None:
    book, reports = bound(result("adding"), *ours)
    assert classroom(book, reports) is None
    assert classroom50.missing(book.rows[0], CLASSROOM) == "not decided yet"


def test_classroom50_needs_the_time_of_handing_in() -> None:
    handed = BOTH.model_copy(update={"submitted_at": None})
    book, reports = bound(result("adding"), result("scaling"), handed=handed)
    assert classroom(book, reports) is None
    assert "--submitted-at" in classroom50.missing(book.rows[0], CLASSROOM)
    zone = timezone(timedelta(hours=2))
    given = classroom50.Options("kernels", "hw2", datetime(2026, 10, 2, 1, 30, tzinfo=zone))
    data = classroom(book, reports, given)
    assert data is not None
    assert data["datetime"] == "2026-10-01T23:30:00Z"


def test_classroom50_loses_nothing_that_was_not_measured() -> None:
    data = classroom(*bound(PARTLY, result("scaling")))
    assert data is not None
    assert (data["score"], data["max-score"]) == (8, 14)


@pytest.mark.parametrize(
    ("points", "policy", "score", "most"),
    [
        (9.5, None, 10, 20),  # halves up
        (8.5, None, 9, 20),
        (9.4, None, 9, 20),
        (12.0, None, 12, 20),  # the sum may have it, one exercise may not
        (20.0, LATE, 16, 20),
        (9.5, LATE, 8, 20),
    ],
)
def test_classroom50_knows_whole_points_only(points: float, policy: Policy | None, score: int, most: int) -> None:
    data = classroom(*bound(handed=entry("1", "ada", files=[]), policy=policy, **by_hand(points)))
    assert data is not None
    assert (data["score"], data["max-score"]) == (score, most)
    by_hand_test = data["tests"][0]
    assert by_hand_test["test-name"] == "adding: points set by hand"
    assert ("no more than the maximum" in by_hand_test["output"]) == (points > 10)


def test_classroom50_of_a_group_and_late() -> None:
    data = classroom(*bound(result("adding"), handed=entry("1", "ada", "bob"), policy=LATE))
    assert data is not None
    assert (data["assignment_type"], data["owner"], data["score"]) == ("group", "ada", 3)
    assert data["tests"][-1]["test-name"] == "late"
    assert data["tests"][-1]["max-score"] == 0


@pytest.mark.parametrize("reason", ["", hostile.PRINTS])
def test_classroom50_is_json_whatever_was_printed(reason: str) -> None:
    data = classroom(*hostile.made(reason))
    assert data is not None
    assert not {"\x1b", "\x00", "\r", "\u202e"} & set("".join(test.get("output", "") for test in data["tests"]))


@pytest.mark.parametrize(("name", "slug"), [("", "hw2"), ("a b", "hw2"), ("kernels", ""), ("kernels", "../hw2")])
def test_classroom50_names_are_short_names(name: str, slug: str) -> None:
    with pytest.raises(UsageError, match="expected the short name"):
        classroom50.checked(classroom50.Options(name, slug))


# -- pages for students


def outside_of_fences(page: str) -> str:
    """The lines that are markup; fails where a fence stays open."""
    found, fence = [], ""
    for line in page.split("\n"):
        if not fence and line.startswith("```"):
            fence = line.removesuffix("text")
        elif fence and line == fence:
            fence = ""
        elif not fence:
            found.append(line)
    assert not fence
    return "\n".join(found)


def test_a_page_has_every_exercise_and_case() -> None:
    book, reports = bound(PARTLY, result("scaling"), policy=LATE)
    page = students.pages(book, reports)["ada"]
    assert page.startswith(
        "# Ada\n\nSubmission 1, handed in 2026-10-01 12:00+00:00\n\n**6.4 of 20 points.** 2 days late"
    )
    for words in (
        "## The exercise adding (adding)\n\n4 of 10 points\n\n6 points could not be measured here",
        "### test_small: title of test_small\n\npassed, 4 of 4 points".replace("_", "\\_"),
        "### timed: title of timed\n\nnot\\_measured\n",
        "incorrect, 0 of 6 points",
        "the last column\nis missing",
    ):
        assert words in page
    assert SECRET not in page


@pytest.mark.parametrize("ours", OURS)
def test_a_page_has_no_points_of_what_is_open(ours: list[Result]) -> None:
    page = students.pages(*bound(result("adding"), *ours))["ada"]
    assert "**The sum is not known yet**" in page
    assert page.rstrip().endswith(
        "## The exercise scaling (scaling)\n\nNot decided yet: no points are booked and none are lost. "
        "The course staff looks at it."
    )
    assert "Traceback" not in page


def test_a_page_says_what_was_set_by_hand_and_what_is_missing() -> None:
    page = students.pages(*bound(handed=ONE, **by_hand(9.5, "seen ``` in the lab")))["ada"]
    assert "9.5 of 10 points\n\n````text\nSet by hand: seen ``` in the lab\n````" in page
    assert "0 of 10 points\n\nNo file was handed in." in page


def test_somebody_with_two_submissions_has_one_page() -> None:
    book = bind(mapping(entry("1", "ada"), entry("2", "ada")), EXERCISES[:1], results(result()))
    pages = students.pages(book, {})
    assert list(pages) == ["ada"]
    assert pages["ada"].count("\n\nSubmission ") == 2


def test_the_members_of_a_group_have_a_page_each_with_their_own_lateness() -> None:
    policy = LATE.model_copy(update={"extensions": {"bob": NOON}})
    pages = students.pages(*bound(result("adding"), handed=entry("1", "ada", "bob"), policy=policy))
    assert "**3.2 of 20 points.**" in pages["ada"]
    assert "**4 of 20 points.**" in pages["bob"]


@pytest.mark.parametrize("reason", ["", hostile.PRINTS])
@pytest.mark.parametrize("open_grade", [False, True])
def test_nothing_that_people_wrote_is_markup(reason: str, open_grade: bool) -> None:
    (page,) = students.pages(*hostile.made(reason, open_grade)).values()
    outside = outside_of_fences(page)
    for markup in ("<script>", "<b>", "*A*", "[x](y)", "`z`", "\n# heading"):
        assert markup not in outside
    assert not {"\x1b", "\x00", "\r", "\u202e", "\ud800"} & set(page)
    assert page.encode()


def test_a_very_long_text_is_cut() -> None:
    case = setting("test_small", 10, WRONG)
    made = report("adding", [case])
    long = made.cases[0].model_copy(update={"message": "x" * 50_000})
    page = students.pages(*bound(result("adding", made=made.model_copy(update={"cases": [long]})), handed=ONE))["ada"]
    assert len(page) < 25_000
    assert "more characters)" in page
