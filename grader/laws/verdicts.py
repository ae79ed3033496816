"""Laws over verdicts: the stub, the solution and every rejected file are graded like submissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.boundary.workers import Workers
from grader.exercise import SOLUTIONS, Exercise
from grader.grade import Progress, Target, correctness, hosted, judged
from grader.judge import judge
from grader.laws import NotRun, Problem
from grader.laws.comparisons import check_comparisons
from grader.laws.folder import cases_lost, rejected_files
from grader.records import Kind, Setting
from grader.report import CaseReport, ExerciseReport
from grader.status import Status
from grader.submission import Submission, collect
from grader.testing.expect import Compared
from grader.testing.run import load_reference

NEEDS_CLOCK = (Status.TOO_SLOW.value, Status.SUSPECT.value)
NEEDS_CHECKS = (Status.MEMORY_ERROR.value, Status.RACE.value)


def check_verdicts(
    root: Path, exercise: Exercise, target: Target, workers: Workers, progress: Progress
) -> Iterator[Problem | NotRun]:
    """Grade stub, solution and rejected files; what this device cannot judge is `NotRun`."""
    stub = Submission(exercise.name, exercise.student_file, exercise.student_file.read_text(encoding="utf-8"))
    with hosted(exercise, stub, target.device, workers) as host:
        settings = correctness(exercise, stub, host, target, progress)
    yield from _points(exercise, settings)
    yield from _stub(exercise, judge(exercise, settings, target.device))
    yield from _solution(root, exercise, target, workers, progress)
    for file in rejected_files(root, exercise):
        yield from _rejected(exercise, file, target, workers, progress)


def _points(exercise: Exercise, settings: Sequence[Setting]) -> Iterator[Problem]:
    """The markers add up to what exercise.yaml states; every test has a marker and a title."""
    tests = {setting.test: setting for setting in settings}
    for part, hidden, stated in (
        ("visible", False, exercise.points.visible),
        ("hidden", True, exercise.points.hidden),
    ):
        found = sum(s.points for s in tests.values() if s.hidden is hidden)
        if found != stated:
            yield Problem(exercise.name, f"{part} tests of {found} points", f"{stated}, as exercise.yaml states")
    for name, setting in tests.items():
        if not setting.title:
            yield Problem(f"{exercise.name}::{name}", "no docstring", "a title that the student can read")


def _stub(exercise: Exercise, report: ExerciseReport) -> Iterator[Problem | NotRun]:
    where = f"{exercise.name}/{exercise.file}"
    if report.status is Status.NOT_RUN:
        yield NotRun(where, report.cases[0].message)
    elif report.status is not Status.NOT_ATTEMPTED or report.points:
        yield Problem(where, _said(report), "0 points and not_attempted")


def _solution(
    root: Path, exercise: Exercise, target: Target, workers: Workers, progress: Progress
) -> Iterator[Problem | NotRun]:
    file = root / SOLUTIONS / exercise.name / exercise.file
    where = f"{SOLUTIONS}/{exercise.name}/{exercise.file}"
    seen: list[Compared] = []
    submission = collect(exercise, file)
    report = judged(exercise, submission, target, progress, workers, seen.append)
    if _cannot_run_here(report):
        yield NotRun(where, report.cases[0].message)
        return
    measurable = report.max_points - report.not_measured_points
    if report.status is not Status.PASSED or report.points != measurable:
        yield Problem(where, _said(report), f"every one of the {measurable} points that this device can measure")
        return
    yield from _counts(where, report)
    yield from check_comparisons(exercise, load_reference(exercise), seen)


def _rejected(
    exercise: Exercise, file: Path, target: Target, workers: Workers, progress: Progress
) -> Iterator[Problem | NotRun]:
    where = f"{exercise.name}/rejected/{file.parent.name}/{file.name}"
    expected = file.parent.name
    uncounted = exercise.is_cuda and expected == Status.FORBIDDEN.value and target.device == "cuda"
    # A GPU lets a Triton kernel touch what lies beside its tensors; only the interpreter's accesses are checked.
    unchecked = not exercise.is_cuda and expected in NEEDS_CHECKS and target.device == "cuda"
    if uncounted or unchecked or (expected in NEEDS_CLOCK and target.device == "cpu"):
        yield NotRun(where, f"{expected} cannot be judged here")
        return
    submission = collect(exercise, file)
    report = judged(exercise, submission, target, progress, workers)
    if _cannot_run_here(report):
        yield NotRun(where, report.cases[0].message)
    elif expected == Status.INEFFICIENT.value:
        yield from _inefficient(where, report, cases_lost(file))
    elif expected == Status.TOO_SLOW.value and report.status is Status.INEFFICIENT:
        if not any(case.status is Status.TOO_SLOW for case in report.cases):
            yield Problem(where, _said(report), f"a case {expected}")
    elif report.status.value != expected and not _is_raised_by_the_launch(exercise, report, expected, target):
        yield Problem(where, _said(report), f"the status {expected}")


def _is_raised_by_the_launch(exercise: Exercise, report: ExerciseReport, expected: str, target: Target) -> bool:
    """Whether Triton's compiler refuses it on a GPU: what it says is raised by the launch there."""
    is_refused = expected == Status.COMPILE_ERROR.value and report.status is Status.RUNTIME_ERROR
    return is_refused and exercise.is_triton and target.device == "cuda"


def _counts(where: str, report: ExerciseReport) -> Iterator[Problem | NotRun]:
    """Of the solution: what could not be counted here, and what was counted and is too little to be true."""
    for case in (c for c in _counted(report) if c.status is not Status.PASSED):
        if case.efficiency is not None:
            yield Problem(f"{where}: {case.name}", case.message, "no more bytes in `cost` than the solution moves")
        else:
            yield NotRun(f"{where}: {case.name}", case.message)


def _inefficient(where: str, report: ExerciseReport, loses: set[str]) -> Iterator[Problem | NotRun]:
    """Right everywhere, and inefficient in the cases that the file names, and in no other."""
    uncounted = [case for case in _counted(report) if case.status is Status.NOT_MEASURED]
    if uncounted:
        yield NotRun(where, uncounted[0].message)
        return
    found = {case.name for case in _counted(report) if case.status is Status.INEFFICIENT}
    others = [case for case in _counted(report) if case.status not in (Status.PASSED, Status.INEFFICIENT)]
    if report.status is not Status.INEFFICIENT or found != loses or others:
        lost = f"inefficient in {', '.join(sorted(found)) or 'no case'}"
        yield Problem(where, f"{_said(report)}; {lost}", f"inefficient in {', '.join(sorted(loses))} alone")


def _counted(report: ExerciseReport) -> list[CaseReport]:
    return [case for case in report.cases if case.kind is Kind.EFFICIENCY]


def _cannot_run_here(report: ExerciseReport) -> bool:
    """Whether this machine lacks what it takes to run any of it."""
    return report.status is Status.NOT_RUN and report.not_measured_points == report.max_points


def _said(report: ExerciseReport) -> str:
    case = next((c for c in report.cases if c.status is report.status), None)
    detail = f" ({case.name}: {case.message} {case.diagnosis})" if case and case.message else ""
    return f"{report.points} points, {report.status.value}{detail}"
