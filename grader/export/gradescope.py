"""Gradescope's `results.json`: one submission, whole, after the rules in docs/gradescope.schema.json.

What Gradescope cannot say is that a grade is open. So an exercise that nobody has decided is a test without a score,
with words instead; the score is that of the other exercises; and where there is none, there is no file, since
one without any score would be refused, and a zero would be a lie.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from grader.batch.book import Column, Grade, Row
from grader.export import feedback
from grader.export.feedback import Reports
from grader.records import Kind
from grader.report import CaseReport, ExerciseReport
from grader.status import Status

Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]
VISIBILITIES: tuple[Visibility, ...] = ("hidden", "after_due_date", "after_published", "visible")
Test = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What the TA chooses."""

    hidden: Visibility = "after_published"  # of hidden cases; until then students do not see their total either
    leaderboard: bool = False  # the speed of timed cases; the assignment has to have one


def results_json(rows: Sequence[Row], columns: Sequence[Column], reports: Reports, options: Options) -> str | None:
    """The file's text for one submission, given the rows of its people; None where nothing is decided.

    There is one score for a group: that of the member with the most, where extensions differ.
    """
    row = max(rows, key=lambda row: row.final)
    if all(grade.is_open for grade in row.grades):
        return None
    found = [reports.get((grade.exercise, grade.result)) for grade in row.grades]
    decided = sum(grade.raw for grade in row.grades if not grade.is_open)
    data: dict[str, Any] = {
        "score": _rounded(decided * row.late_factor),
        "execution_time": _rounded(sum(_seconds(report) for report in found if report)),
        "output": _message(row),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": list(_tests(row, columns, found, options)),
        "extra_data": _extra(row),
    }
    if options.leaderboard:
        data["leaderboard"] = list(_leaderboard(row, found))
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _rounded(value: float) -> float | int:
    found = round(value, 2)
    return int(found) if found == int(found) else found


def _seconds(report: ExerciseReport) -> float:
    return sum(setting.seconds for case in report.cases for setting in case.settings)


def _message(row: Row) -> str:
    """For everybody to read at once: no points here, since they would tell of hidden cases."""
    lines = [feedback.lateness(row)]
    lines += [f"{grade.exercise}: {feedback.OPEN}" for grade in row.grades if grade.is_open]
    left = sum(grade.not_measured_points for grade in row.grades if not grade.is_open and not grade.override)
    lines += [f"{left} points could not be measured here: neither earned nor lost."] if left else []
    return "\n".join(line for line in lines if line)


def _tests(
    row: Row, columns: Sequence[Column], reports: Sequence[ExerciseReport | None], options: Options
) -> Iterator[Test]:
    for position, (grade, column, report) in enumerate(zip(row.grades, columns, reports, strict=True), start=1):
        for place, test in enumerate(_of_exercise(grade, column, report, options), start=1):
            yield {**test, "number": f"{position}.{place}"}


def _of_exercise(grade: Grade, column: Column, report: ExerciseReport | None, options: Options) -> Iterator[Test]:
    if grade.is_open:
        yield {**_test(grade, "not decided yet"), "output": feedback.OPEN}
        return
    if grade.override is not None:
        is_secret = report is not None and any(case.hidden for case in report.cases)
        test = _test(grade, "points set by hand", options.hidden if is_secret else "visible")
        points = {"score": _rounded(grade.override.points), "max_score": grade.max_points}
        yield {**test, **points, "output": feedback.by_hand(grade)}
    elif grade.status is None:
        missing = {"score": 0, "max_score": column.max_points, "status": "failed"}
        yield {**_test(grade, "no file"), **missing, "output": feedback.NO_FILE}
    for case in feedback.cases(report) if report else ():
        yield _of_case(grade, case, options)


def _of_case(grade: Grade, case: CaseReport, options: Options) -> Test:
    """Points that nobody earned or lost, or that a TA has replaced, are left out: then it is for information."""
    test = _test(grade, case.name, options.hidden if case.hidden else "visible")
    test |= {"tags": [grade.exercise, case.kind.value], "extra_data": {"status": case.status.value}}
    text = feedback.explanation(case)
    test["output"] = f"{case.status.value}\n{text}" if text else case.status.value
    if case.not_measured_points or case.status is Status.NOT_MEASURED:
        return test
    if grade.override is None:
        test |= {"score": case.points, "max_score": case.max_points}
    return {**test, "status": "passed" if case.status is Status.PASSED else "failed"}


def _test(grade: Grade, name: str, visibility: Visibility = "visible") -> Test:
    return {
        "name": feedback.clean(f"{grade.exercise}: {name}"),
        "name_format": "text",
        "visibility": visibility,
        "tags": [grade.exercise],
    }


def _extra(row: Row) -> dict[str, Any]:
    """Kept by Gradescope beside the submission; not shown to students."""
    return {
        "entry": row.entry,
        "is_finished": row.is_finished,
        "points_before_lateness": _rounded(row.points) if row.is_finished else None,
        "days_late": row.days_late,
        "late_factor": row.late_factor,
        "exercises": {
            grade.exercise: {
                "status": grade.status.value if grade.status else "",
                "points": None if grade.known is None else _rounded(grade.known),
                "max_points": grade.max_points,
                "not_measured_points": grade.not_measured_points,
                "flagged": grade.flagged,
                "result": grade.result,
            }
            for grade in row.grades
        },
    }


def _leaderboard(row: Row, reports: Sequence[ExerciseReport | None]) -> Iterator[dict[str, Any]]:
    """Each timed case's share of what is asked for; hidden cases and what is not decided are no race."""
    for grade, report in zip(row.grades, reports, strict=True):
        for case in report.cases if report and not grade.is_open else ():
            if case.kind is Kind.PERFORMANCE and case.performance is not None and not case.hidden:
                name = f"{grade.exercise}: {case.name} (% of {case.performance.share_of})"
                yield {"name": name, "value": _rounded(100 * case.performance.share), "order": "desc"}
