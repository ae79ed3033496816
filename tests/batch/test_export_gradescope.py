"""results.json: after the written spec, nothing hidden in it too early, and no zero that is none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.batch.bind import bind
from grader.batch.book import Override
from grader.batch.late import Policy
from grader.batch.result import Result
from grader.export.gradescope import VISIBILITIES, Options, results_json
from grader.records import Finding
from grader.report import ExerciseReport
from grader.status import Status
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

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/gradescope.schema.json").read_text(encoding="utf-8"))
EXERCISES = [exercise("adding"), exercise("scaling")]
BOTH = entry("1", files=[file("adding"), file("scaling")])
LATE = Policy(deadline=NOON - timedelta(hours=1), per_day=0.1)


def export(*found: Result, options: Options | None = None, **more: Any) -> dict[str, Any] | None:
    book = bind(mapping(more.pop("entry", BOTH)), EXERCISES, results(*found), **more)
    reports: dict[tuple[str, str], ExerciseReport] = {(r.exercise, r.name): r.report for r in found}
    text = results_json(book.rows, book.columns, reports, options or Options())
    if text is None:
        return None
    assert "\r" not in text
    data: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    Draft202012Validator(SCHEMA).validate(data)
    return data


def cases_of(data: dict[str, Any] | None) -> Sequence[dict[str, Any]]:
    assert data is not None
    found: Sequence[dict[str, Any]] = data["tests"]
    return found


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"tests": []},
        {"tests": [{"name": "no score"}]},
        {"score": "3"},
        {"score": 1.005},
        {"score": -1},
        {"score": 1, "visibility": "public"},
        {"score": 1, "output_format": "markdown"},
        {"score": 1, "output": "a\r\nb"},
        {"score": 1, "tests": [{"score": 1, "max_score": 1, "status": "error"}]},
        {"score": 1, "tests": [{"score": 1}]},
        {"score": 1, "results": []},
        {"score": 1, "leaderboard": [{"name": "x"}]},
    ],
)
def test_the_schema_refuses(wrong: dict[str, Any]) -> None:
    assert not Draft202012Validator(SCHEMA).is_valid(wrong)


def test_a_graded_submission() -> None:
    data = export(result("adding"), result("scaling"))
    assert data is not None
    assert data["score"] == 8
    assert [t["number"] for t in data["tests"]] == ["1.1", "1.2", "2.1", "2.2"]
    first, second = data["tests"][:2]
    assert (first["score"], first["max_score"], first["status"], first["visibility"]) == (4, 4, "passed", "visible")
    assert (second["score"], second["max_score"], second["status"]) == (0, 6, "failed")
    assert "the last column\nis missing" in second["output"]
    assert (data["execution_time"], data["stdout_visibility"]) == (2, "hidden")
    assert sum(t["max_score"] for t in data["tests"]) == 20


@pytest.mark.parametrize("visibility", VISIBILITIES)
def test_hidden_cases_are_as_visible_as_the_ta_says(visibility: Any) -> None:
    tests = cases_of(export(result("adding"), result("scaling"), options=Options(hidden=visibility)))
    assert {t["visibility"] for t in tests if "test_hidden" in t["name"]} == {visibility}
    assert {t["visibility"] for t in tests if "test_small" in t["name"]} == {"visible"}
    assert SECRET not in json.dumps(tests)


def test_what_all_may_read_at_once_has_no_points_of_hidden_cases() -> None:
    data = export(result("adding"), result("scaling"), policy=LATE)
    assert data is not None
    assert data["output"] == "1 day late: 0.9 of the points are left."
    assert data["score"] == 7.2


@pytest.mark.parametrize("ours", [[], [result("scaling", made=failed("scaling"))]])
def test_what_is_not_decided_is_words_and_no_zero(ours: list[Result]) -> None:
    data = export(result("adding"), *ours)
    tests = cases_of(data)
    assert data is not None
    assert "score" not in tests[-1]
    assert "max_score" not in tests[-1]
    assert "status" not in tests[-1]
    assert (tests[-1]["visibility"], data["score"]) == ("visible", 4)
    assert "no points are booked and none are lost" in tests[-1]["output"]
    assert "scaling: Not decided yet" in data["output"]
    assert data["extra_data"]["is_finished"] is False
    assert data["extra_data"]["exercises"]["scaling"]["points"] is None
    assert SECRET not in json.dumps(data)


def test_an_older_verdict_is_not_published_as_the_new_one() -> None:
    older = results(result("scaling", key="k0"))
    data = export(result("adding"), older=older)
    assert data is not None
    assert data["score"] == 4
    assert "score" not in data["tests"][-1]


def test_where_nothing_is_decided_there_is_no_file() -> None:
    assert export() is None
    assert export(result("adding", made=failed())) is None


def test_a_missing_file_is_a_zero_that_says_so() -> None:
    tests = cases_of(export(result("adding"), entry=entry("1")))
    assert (tests[-1]["score"], tests[-1]["max_score"], tests[-1]["status"]) == (0, 10, "failed")
    assert tests[-1]["output"] == "No file was handed in."


@pytest.mark.parametrize("found", [result("adding"), result("adding", made=failed())])
def test_points_by_hand_stand_instead_of_the_graders(found: Result) -> None:
    decided = Override(entry="1", exercise="adding", points=9.5, reason="seen in the lab")
    data = export(found, result("scaling"), overrides=[decided])
    tests = cases_of(data)
    assert data is not None
    assert data["score"] == 13.5
    assert (tests[0]["score"], tests[0]["max_score"], tests[0]["output"]) == (
        9.5,
        10,
        "Set by hand: seen in the lab",
    )
    assert sum(t.get("max_score", 0) for t in tests) == 20
    assert sum(t.get("score", 0) for t in tests) == 13.5
    assert SECRET not in json.dumps(data)
    secret = any("adding: test_hidden" in t["name"] for t in tests)
    assert tests[0]["visibility"] == ("after_published" if secret else "visible")


def test_what_was_not_measured_is_neither_earned_nor_lost() -> None:
    blocked = Finding(Status.NOT_MEASURED, "needs a GPU")
    found = result("adding", made=report("adding", [setting("a", 4), setting("b", 6, blocked)]))
    data = export(found, result("scaling"))
    test = cases_of(data)[1]
    assert data is not None
    assert not {"score", "max_score", "status"} & set(test)
    assert "6 points could not be measured here" in data["output"]


def test_prints_cannot_do_anything() -> None:
    wild = setting("a", 10, WRONG, output="\x1b[2J\x1b]0;title\x07red\r\n\x00\u202eevil \ud800 end")
    made = report("adding").model_copy(update={"cases": report("adding", [wild]).cases})
    output = cases_of(export(result("adding", made=made), result("scaling")))[0]["output"]
    assert "\x1b" not in output
    assert "\x00" not in output
    assert "\u202e" not in output
    assert "red\n" in output


def test_a_group_gets_the_score_of_its_luckiest_member() -> None:
    policy = Policy(deadline=NOON - timedelta(hours=1), per_day=0.5, extensions={"bob": NOON})
    group = entry("1", "ada", "bob", files=[file("adding")])
    data = export(result("adding"), entry=group, policy=policy)
    assert data is not None
    assert data["score"] == 4


def test_a_leaderboard_is_there_when_asked_for() -> None:
    data = export(result("adding"), result("scaling"), options=Options(leaderboard=True))
    assert data is not None
    assert data["leaderboard"] == []
