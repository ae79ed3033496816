"""Classroom 50's `result.json` of one submission (schema classroom50/result/v1)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from grader.batch.book import Grade, Row
from grader.export import feedback
from grader.export.feedback import Reports
from grader.status import Status

SCHEMA = "classroom50/result/v1"


def text(row: Row, reports: Reports, classroom: str, assignment: str) -> str | None:
    """The file; None while something is not decided: points are whole numbers there, and a zero would be a lie."""
    if not row.is_finished:
        return None
    data = {
        "schema": SCHEMA,
        "classroom": classroom,
        "assignment": assignment,
        "assignment_type": "individual",
        "owner": row.person.id,
        "submission": row.entry,
        "datetime": row.submitted_at.isoformat() if row.submitted_at else None,
        "score": round(row.final),
        "max-score": sum(grade.max_points for grade in row.grades),
        "tests": [test for grade in row.grades for test in _tests(grade, reports)],
    }
    return json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _tests(grade: Grade, reports: Reports) -> Iterator[dict[str, Any]]:
    report = reports.get((grade.exercise, grade.result))
    if grade.override is not None or report is None:
        words = feedback.by_hand(grade) or feedback.NO_FILE
        yield _test(grade.exercise, grade.raw >= grade.max_points, grade.raw, grade.max_points, words)
        return
    for case in feedback.cases(report):
        if not case.not_measured_points:
            name = f"{grade.exercise}: {case.name}"
            passed = case.status is Status.PASSED
            yield _test(name, passed, case.points, case.max_points, feedback.explanation(case))


def _test(name: str, passed: bool, points: float, most: int, words: str) -> dict[str, Any]:
    return {
        "test-name": feedback.clean(name),
        "passed": passed,
        "score": round(points),
        "max-score": most,
        "message": words,
    }
