"""What calibration says of repeated gradings; nothing is timed here."""

from __future__ import annotations

import pytest

from grader.exercise import PerformanceCase
from grader.status import Status
from grader.timing.calibration import Grading, Known, edges, problems, rates, table

CASE = PerformanceCase(name="c", points=4, arguments={}, bound="memory", full_at=0.8, zero_at=0.4)


def known(earns_all: bool, *gradings: Grading) -> Known:
    return Known("a.py", earns_all, CASE, gradings)


def graded(points: int, share: float, status: Status = Status.PASSED) -> Grading:
    return Grading(status, points, share)


def test_the_edges_are_where_marks_change() -> None:
    assert edges(CASE) == pytest.approx([0.5, 0.6, 0.7, 0.8])


def test_a_steady_solution_has_no_problem() -> None:
    assert not list(problems([known(True, graded(4, 0.9), graded(4, 0.91))]))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (known(True, graded(4, 0.9), graded(3, 0.79)), "not every point in 1 of 2"),
        (known(False, graded(4, 0.9), graded(4, 0.9)), "every point in 2 of 2"),
        (known(False, graded(1, 0.55), graded(1, 0.55), graded(2, 0.66)), "other points than usual in 1 of 3"),
        (known(True, graded(4, 0.82)), "2.5% from an edge"),
        (known(False, graded(1, 0.51)), "2.0% from an edge"),
        (known(True, graded(4, 0.9), graded(0, 1.3, Status.SUSPECT)), "suspect in 1 of 2"),
        (known(False, graded(0, 0.0, Status.NOT_MEASURED)), "not judged in 1 of 1"),
    ],
)
def test_what_is_not_steady_is_said(found: Known, words: str) -> None:
    assert any(words in problem for problem in problems([found]))


def test_what_is_never_timed_has_no_edge() -> None:
    stub = known(False, graded(0, 0.0, Status.NOT_ATTEMPTED))
    assert not list(problems([stub]))
    assert "not_attempted" in table([stub])


def test_rates_are_over_all_gradings() -> None:
    solution = known(True, graded(4, 0.9), graded(3, 0.79))
    slow = known(False, graded(0, 0.3), graded(0, 0.3))
    assert rates([solution, slow]) == "false fail 1 of 2, false pass 0 of 2, flips 1 of 4"
