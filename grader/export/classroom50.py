"""Classroom 50's `result.json` of one submission, after docs/classroom50.schema.json.

Its numbers are whole: the score is rounded, halves up, and a bonus ends at the maximum. It has no word for a grade
that is open, so a submission with one gets no file. What was not measured is worth nothing there, so nobody loses it.
The batch knows no commits and no releases: the submission's tag stands where links to them belong.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

from grader.batch.book import Column, Grade, Row
from grader.errors import UsageError
from grader.export import feedback
from grader.export.feedback import Reports
from grader.report import CaseReport, ExerciseReport
from grader.status import Status

SCHEMA = "classroom50/result/v1"
Test = dict[str, Any]
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Options:
    """What the batch does not know."""

    classroom: str  # its short name
    assignment: str  # its slug
    submitted_at: datetime | None = None  # of submissions whose time the batch does not know


def checked(options: Options) -> Options:
    """The options; raises UsageError for names that can be none."""
    for option, value in (("--classroom", options.classroom), ("--assignment", options.assignment)):
        if not _SLUG.fullmatch(value):
            raise UsageError(f"{option} {value!r}: expected the short name, as it stands in the repositories' names")
    return options


def result_json(
    rows: Sequence[Row], columns: Sequence[Column], reports: Reports, options: Options, is_group_work: bool = False
) -> str | None:
    """The file's text for one submission, given the rows of its people; None where `missing` says why.

    There is one score for a group: that of the member with the most, where extensions differ.
    """
    row = max(rows, key=lambda row: row.final)
    time = row.submitted_at or options.submitted_at
    if time is None or missing(row, options):
        return None
    tests = list(_tests(row, columns, reports))
    most = sum(test["max-score"] for test in tests)
    data = {
        "schema": SCHEMA,
        "classroom": options.classroom,
        "assignment": options.assignment,
        "assignment_type": _type(is_group_work),
        "owner": rows[0].person.id,
        **dict.fromkeys(("submission", "commit", "release", "review"), f"submit/{_moment(time).replace(':', '-')}"),
        "datetime": _moment(time),
        "score": min(_whole(row.final), most),
        "max-score": most,
        "tests": tests,
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def missing(row: Row, options: Options) -> str:
    """Why there can be no file; empty where there can be one."""
    if not row.is_finished:
        return "not decided yet"
    if row.submitted_at is None and options.submitted_at is None:
        return "the time of handing in is not known; give one with --submitted-at"
    return ""


def _type(is_group_work: bool) -> Literal["individual", "group"]:
    return "group" if is_group_work else "individual"


def _moment(time: datetime) -> str:
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _whole(points: float) -> int:
    return math.floor(points + 0.5)


def _tests(row: Row, columns: Sequence[Column], reports: Reports) -> Iterator[Test]:
    for grade, column in zip(row.grades, columns, strict=True):
        yield from _of_exercise(grade, column, reports.get((grade.exercise, grade.result)))
    if row.days_late:
        yield _test("late", row.late_factor == 1, 0, 0, feedback.lateness(row))


def _of_exercise(grade: Grade, column: Column, report: ExerciseReport | None) -> Iterator[Test]:
    name = grade.exercise
    if grade.override is not None:
        points = min(_whole(grade.override.points), grade.max_points)
        yield _test(f"{name}: points set by hand", points == grade.max_points, points, grade.max_points, _reason(grade))
    elif grade.status is None:
        yield _test(f"{name}: no file", False, 0, column.max_points, feedback.NO_FILE)
    for case in feedback.cases(report) if report else ():
        counts = grade.override is None and case.status is not Status.NOT_MEASURED
        yield _of_case(name, case, case.max_points - case.not_measured_points if counts else 0)


def _reason(grade: Grade) -> str:
    cut = bool(grade.override and grade.override.points > grade.max_points)
    return feedback.by_hand(grade) + ("\nThis format gives no more than the maximum." if cut else "")


def _of_case(name: str, case: CaseReport, max_score: int) -> Test:
    text = feedback.explanation(case)
    said = f"{case.status.value}\n{text}" if text else case.status.value
    return _test(f"{name}: {case.name}", case.status is Status.PASSED, min(case.points, max_score), max_score, said)


def _test(name: str, passed: bool, score: int, max_score: int, output: str) -> Test:
    """One test; what else stands in it than the four fields is kept as it is."""
    test = {"test-name": feedback.clean(name), "passed": passed, "score": score, "max-score": max_score}
    return {**test, "output": output} if output else test
