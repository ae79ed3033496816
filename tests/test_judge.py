"""The judge: a pure function of evidence, tested in milliseconds."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from grader.exercise import Exercise
from grader.grade import Target, device_of, environment
from grader.judge import HELD_BY_STAFF, failed_to_judge, judge, next_step, total
from grader.loading import load
from grader.measured_cases import NEEDS_GPU
from grader.records import PASSED, Finding, Setting, Visibility
from grader.report import Report
from grader.status import PRECEDENCE, Status, first

ROOT = Path(__file__).parent.parent


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    folder = tmp_path / "answer"
    (folder / "hidden").mkdir(parents=True)
    (folder / "hidden/test_hidden.py").touch()
    (folder / "exercise.yaml").write_text(
        'title: t\norder: 1\nlecture: ""\nfile: answer.py\nstub: "0123456789abcdef"\nentry: ["answer(x)"]\n'
        "points: {visible: 3, hidden: 2}\n"
        "performance: [{name: big, points: 4, arguments: {}, bound: memory, full_at: 0.8, zero_at: 0.3}]\n"
    )
    return load(folder)


def setting(
    finding: Finding = PASSED,
    test: str = "test_a",
    name: str = "",
    points: int = 3,
    visibility: Visibility = Visibility.FULL,
    hidden: bool = False,
    output: str = "",
) -> Setting:
    return Setting(test, name or test, "a title", points, visibility, hidden, finding, output)


WRONG = Finding(Status.INCORRECT, "wrong values", "found 3", "the last column", ("answer.py:1 in f: x",))


def test_all_passed(exercise: Exercise) -> None:
    report = judge(exercise, [setting(), setting(test="test_b", points=2, hidden=True)], "cpu")
    assert (report.status, report.points, report.max_points, report.not_measured_points) == (Status.PASSED, 5, 9, 4)
    assert report.cases[-1].message == NEEDS_GPU


def test_a_case_is_all_or_nothing_over_its_settings(exercise: Exercise) -> None:
    settings = [setting(name="test_a[1]"), setting(WRONG, name="test_a[2]"), setting(name="test_a[3]")]
    report = judge(exercise, settings, "cpu")
    case = report.cases[0]
    assert (case.status, case.points, case.setting) == (Status.INCORRECT, 0, "test_a[2]")
    assert [s.status for s in case.settings] == [Status.PASSED, Status.INCORRECT, Status.PASSED]


def test_hidden_cases_are_held_by_staff_in_a_students_copy(exercise: Exercise) -> None:
    (exercise.folder / "hidden/test_hidden.py").unlink()
    report = judge(exercise, [setting()], "cpu")
    assert (report.points, report.not_measured_points, report.status) == (3, 6, Status.PASSED)
    assert HELD_BY_STAFF in [case.message for case in report.cases]


@pytest.mark.parametrize("visibility", list(Visibility))
def test_what_a_student_sees(exercise: Exercise, visibility: Visibility) -> None:
    case = judge(exercise, [setting(WRONG, visibility=visibility, output="printed")], "cpu").cases[0]
    shown = case.model_dump_json()
    assert ("found 3" in shown) == (visibility is Visibility.FULL)
    assert ("printed" in shown) == (visibility is Visibility.FULL)
    assert ("the last column" in shown) == (visibility is not Visibility.NONE)
    assert ("answer.py:1" in shown) == (visibility is not Visibility.NONE)


def test_our_fault_is_never_the_students_zero(exercise: Exercise) -> None:
    fault = Finding(Status.GRADER_ERROR, "the test itself failed")
    report = judge(exercise, [setting(fault), setting(test="test_b", points=2)], "cpu")
    assert (report.status, report.points, report.not_measured_points) == (Status.GRADER_ERROR, 2, 3 + 4)
    whole = failed_to_judge(exercise, "a reason")
    assert (whole.points, whole.not_measured_points, whole.max_points) == (0, 9, 9)


def test_a_missing_compiler_costs_nothing(exercise: Exercise) -> None:
    blocked = Finding(Status.NOT_RUN, "no compiler; install it with: apt", environment=True)
    report = judge(exercise, [setting(blocked)], "cpu")
    assert (report.status, report.not_measured_points) == (Status.NOT_RUN, 3 + 4)


def test_settings_not_run_after_two_deaths_are_lost(exercise: Exercise) -> None:
    blocked = Finding(Status.NOT_RUN, "2 settings before it ended with timeout")
    report = judge(exercise, [setting(blocked)], "cpu")
    assert (report.points, report.not_measured_points) == (0, 4)


def test_a_lost_setting_outranks_one_that_could_not_be_measured(exercise: Exercise) -> None:
    missing = Finding(Status.NOT_MEASURED, "needs a GPU")
    lost = judge(exercise, [setting(missing), setting(WRONG)], "cpu").cases[0]
    assert (lost.status, lost.not_measured_points) == (Status.INCORRECT, 0)
    unknown = judge(exercise, [setting(missing), setting()], "cpu").cases[0]
    assert (unknown.status, unknown.points, unknown.not_measured_points) == (Status.NOT_MEASURED, 0, 3)


def test_the_first_status_in_the_written_order_wins() -> None:
    for a, b in itertools.combinations(PRECEDENCE, 2):
        assert first([b, a]) is a
    assert first([]) is Status.NOT_RUN


def test_every_status_has_a_next_step() -> None:
    for status in Status:
        assert len(next_step(status, "answer", "answer.py")) > 20


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.PASSED])
def test_a_finding_says_something(status: Status) -> None:
    with pytest.raises(ValueError, match=status.value):
        Finding(status)


def test_a_passed_finding_has_nothing_to_say() -> None:
    with pytest.raises(ValueError, match="passed"):
        Finding(Status.PASSED, "hm")
    with pytest.raises(ValueError, match="environment"):
        Finding(Status.INCORRECT, "x", environment=True)


def test_the_published_schema_is_that_of_the_models() -> None:
    published = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
    assert published == Report.model_json_schema()


def test_a_report_fits_the_published_schema(exercise: Exercise) -> None:
    report = total([judge(exercise, [setting(WRONG)], "cpu")], device_of(Target("cpu")), environment("none"), 0)
    published = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(published).validate(json.loads(report.model_dump_json()))
    assert (report.points, report.max_points, report.not_measured_points) == (0, 9, 4)
