"""How solutions stand: the table, what is below its bar, and where the document keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.exercise import PerformanceCase
from grader.status import Status
from grader.timing.figures import Figure, problems, table
from grader.timing.measurement import CaseResult, Way
from grader.timing.sections import placed
from tests.test_commands import grader
from tests.test_timing import exact, measured

CASE = PerformanceCase(name="large", points=4, arguments={}, bound="memory", full_at=0.5, zero_at=0.1)
COMPUTE = CASE.model_copy(update={"bound": "compute", "solution_at": 0.8})


def figure(case: PerformanceCase, time_ms: float, baseline_ms: float = 1.0) -> Figure:
    found = measured(exact(time_ms), exact(baseline_ms), ways=(Way("eager formula", 2.5),))
    return Figure("an_exercise", case, CaseResult(name=case.name, measurement=found))


def test_a_solution_above_its_bar_is_fine() -> None:
    found = [figure(COMPUTE, 1.2)]
    assert not list(problems(found))
    assert "83.3% of the baseline | 80% | eager formula 2.5 |" in table(found)
    assert "TFLOP/s" in table(found)


def test_one_below_its_bar_is_named() -> None:
    assert list(problems([figure(COMPUTE, 1.3)])) == [
        f"an_exercise, {CASE.name}: 76.9% of the baseline, expected 80% at least"
    ]


def test_without_a_bar_nothing_is_asked() -> None:
    found = [figure(CASE, 1e6)]
    assert not list(problems(found))
    assert "| – |" in table(found)
    assert "GB/s" in table(found)


def test_what_was_not_measured_is_a_problem() -> None:
    result = CaseResult(name=CASE.name, status=Status.NOT_MEASURED, message="GPU busy")
    found = [Figure("an_exercise", COMPUTE, result)]
    assert list(problems(found)) == [f"an_exercise, {CASE.name}: not_measured: GPU busy"]
    assert "not_measured" in table(found)


def test_a_bar_below_full_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="solution_at"):
        PerformanceCase.model_validate({**CASE.model_dump(), "full_at": 0.9, "zero_at": 0.1, "solution_at": 0.8})


def test_each_kind_of_table_has_one_section_for_each_device() -> None:
    document = "# M\n"
    for what, device, text in (
        ("calibration", "GPU A", "one"),
        ("calibration", "GPU B", "two"),
        ("solutions", "GPU A", "three"),
        ("calibration", "GPU A", "four"),
    ):
        document = placed(document, what, device, text)
    assert [word for word in document.split() if word in {"one", "two", "three", "four"}] == ["four", "two", "three"]


def test_without_a_gpu_it_says_so() -> None:
    done = grader("bench")
    assert done.returncode == 2
    assert "GPU" in done.stderr


def test_a_students_copy_has_no_solutions_to_time(tmp_path: Path) -> None:
    assert grader("bench", "--root", tmp_path).returncode == 2
