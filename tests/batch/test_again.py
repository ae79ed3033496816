"""Two verdicts on one file: the same, another one for a reason, or one that is not steady."""

from __future__ import annotations

from typing import Any

import pytest

from grader.batch.again import compare
from grader.batch.failures import clusters, pattern, said
from grader.batch.result import Conditions, Result
from grader.records import Finding
from grader.report import Device, Environment, ExerciseReport
from grader.status import Status
from tests.batch.made_up import WRONG, failed, full_report, report, result, setting


def conditions(**fields: Any) -> Conditions:
    environment = {"grader": "1", "python": "3.11", "torch": "2.13", "triton": "", "platform": "linux"}
    isolation = fields.pop("isolation", "uid")
    return Conditions(
        **{
            "exercise": "adding",
            "tests": "t1",
            "grader": "g1",
            "environment": Environment(**environment, isolation=isolation),
            "compilers": "",
            "device": Device(kind="cpu", name=""),
            "seed": 7,
            **fields,
        }
    )


def changed(made: ExerciseReport, **fields: Any) -> Result:
    """The result with other fields in its last case."""
    last = made.cases[-1].model_copy(update=fields)
    return result(made=made.model_copy(update={"cases": [*made.cases[:-1], last]}))


BEFORE = result()
SLOW = result(
    made=report(settings=[setting("test_small", 4), setting("test_hidden", 6, WRONG, hidden=True, output="x")])
)
REWORDED = changed(report(), message="no values at all")


@pytest.mark.parametrize(
    ("after", "made", "is_same", "is_unsteady", "words"),
    [
        (BEFORE, {}, True, False, "adding: the same verdict: incorrect 4/10"),
        (SLOW, {}, True, False, "the same verdict"),
        (changed(report(), message="wrong values"), {}, True, False, "the same verdict"),
        (REWORDED, {}, True, False, "in other words: test_hidden"),
        (BEFORE, {"seed": 8}, True, False, "although made with something else:\n    seed (the inputs' seed): 7 → 8"),
        (result(made=full_report()), {}, False, True, "the verdict is not steady: incorrect 4/10, then passed 10/10"),
        (result(made=full_report()), {}, False, True, "test_hidden: incorrect 0/6 → passed 6/6"),
        (result(made=full_report()), {"tests": "t2"}, False, False, "another verdict: incorrect 4/10 → passed 10/10"),
        (result(made=full_report()), {"tests": "t2"}, False, False, "thresholds or reference): t1 → t2"),
        (
            result(made=full_report()),
            {"isolation": "none"},
            False,
            False,
            "isolation (the sandbox's level): uid → none",
        ),
        (result(made=full_report()), {"device": Device(kind="cuda", name="H200")}, False, False, "name: none → H200"),
        (result(made=report(settings=[setting("test_small", 4)])), {}, False, True, "incorrect 0/6 → no such case"),
        (result(made=failed()), {}, False, False, "the grader failed, so there are no two verdicts"),
        (result(made=failed()), {"seed": 8}, False, False, "the grader failed"),
    ],
)
def test_two_results(after: Result, made: dict[str, Any], is_same: bool, is_unsteady: bool, words: str) -> None:
    found = compare(BEFORE, after, conditions(), conditions(**made))
    assert (found.is_same, found.is_unsteady) == (is_same, is_unsteady), found.text
    assert words in found.text


def test_one_setting_may_change_a_verdict_without_a_point() -> None:
    settings = BEFORE.report.cases[-1].settings
    other = [one.model_copy(update={"status": Status.RACE}) for one in settings]
    found = compare(BEFORE, changed(report(), settings=other), conditions(), conditions())
    assert found.is_unsteady
    assert "incorrect 0/6 as before, other settings: test_hidden incorrect → race" in found.text


def test_a_failure_on_both_sides_is_no_agreement() -> None:
    assert not compare(result(made=failed()), result(made=failed()), conditions(), conditions()).is_same


def test_results_of_two_files_are_not_compared() -> None:
    with pytest.raises(ValueError, match="different files"):
        compare(BEFORE, result(data=b"b"), conditions(), conditions())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("element 4711 is 0.73, expected -1.5e-3", "element # is #, expected #"),
        ("at 0x7fff1234abcd in float32 x2", "at # in float32 x2"),
        ("took 3.5ms, 12 GB, 1,024 rows", "took #ms, # GB, # rows"),
        ("is nan\r\n  and +inf", "is # and #"),
        ("tensor([1, 2])", "tensor([#, #])"),
        ("test_widths[127]", "test_widths[#]"),
        ("", ""),
        ("9" * 10_000, "#"),
        ("a " * 10_000, ("a " * 200)),
    ],
)
def test_patterns(text: str, expected: str) -> None:
    assert pattern(text) == expected


def test_the_same_failure_is_one_cluster() -> None:
    def wrong(number: int, status: Status = Status.INCORRECT) -> ExerciseReport:
        return report(settings=[setting("a", 4), setting("b", 6, Finding(status, f"element {number} is wrong"))])

    blocked = report(settings=[setting("b", 6, Finding(Status.NOT_RUN, "blocked by element 1"))])
    reports = [
        ("ada", wrong(1)),
        ("bob", wrong(2)),
        ("cyd", wrong(3, Status.RACE)),
        ("dan", full_report()),
        ("eve", blocked),
    ]
    found = clusters("adding", reports)
    assert [(c.case, c.status, c.who) for c in found] == [
        ("b", Status.INCORRECT, ("ada", "bob")),
        ("b", Status.RACE, ("cyd",)),
    ]
    assert said(found[0].example) == "element # is wrong"
