"""What breaks the rule of one's own kernel: pure functions from counts. Whole gradings are in tests/golden/triple."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.exercise import Exercise
from grader.loading import load
from grader.records import PASSED, Finding, Setting, Visibility
from grader.rules import MEMORY, Called, applied, broken
from grader.status import Status

TRIPLE = load(Path(__file__).parent / "content/exercises/triple")
SOURCE = "import torch\n\n\ndef triple(x):\n    return 3 * x\n"


def called(*names: str, launches: int | None = 1) -> Called:
    return Called(tuple((name, 5, 1) for name in names), launches)


@pytest.mark.parametrize("name", sorted(MEMORY))
def test_allocating_viewing_and_copying_is_free(name: str) -> None:
    assert broken(TRIPLE, [called(name)], SOURCE) is None


@pytest.mark.parametrize("name", ["mul", "_softmax", "mm", "addmm", "gelu", "sum", "exp", "where", "gather", "sort"])
def test_arithmetic_is_not(name: str) -> None:
    finding = broken(TRIPLE, [called("empty"), called("empty", name)], SOURCE)
    assert finding is not None
    assert finding.status is Status.FORBIDDEN
    assert name in finding.summary
    assert finding.lines == ("triple.py:5: return 3 * x",)


def test_an_exercise_may_allow_an_operation() -> None:
    assert broken(TRIPLE, [called("cumsum")], SOURCE) is None
    assert broken(TRIPLE.model_copy(update={"may_call": ()}), [called("cumsum")], SOURCE) is not None


def test_an_exercise_without_the_rule_accuses_nobody() -> None:
    exercise = TRIPLE.model_copy(update={"own_kernel": False})
    assert broken(exercise, [called("mul", launches=0)], SOURCE) is None


def test_a_result_needs_a_launch() -> None:
    assert broken(TRIPLE, [called(launches=0)], SOURCE) is not None
    assert broken(TRIPLE, [called(launches=None)], SOURCE) is None, "nobody counted"
    assert broken(TRIPLE, [], SOURCE) is None


def setting(name: str, finding: Finding) -> Setting:
    return Setting(name, name, "t", 1, Visibility.FULL, False, finding)


def statuses(exercise: Exercise, *findings: Finding) -> list[str]:
    return [s.finding.status.value for s in applied(exercise, [setting(f"t{i}", f) for i, f in enumerate(findings)])]


def test_what_needs_no_work_earns_nothing_where_a_rule_is_broken() -> None:
    forbidden, wrong = Finding(Status.FORBIDDEN, "f"), Finding(Status.INCORRECT, "w")
    assert statuses(TRIPLE, PASSED, forbidden, wrong) == ["not_run", "forbidden", "incorrect"]
    assert statuses(TRIPLE, PASSED, wrong) == ["passed", "incorrect"]
