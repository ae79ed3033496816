"""What a student may read of a grade, as plain text; what a fault of ours says is for staff only."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.batch.book import Grade, Row
from grader.report import CaseReport, ExerciseReport
from grader.status import Status
from grader.terminal import numbers

Reports = Mapping[tuple[str, str], ExerciseReport]
"""Verdicts by the exercise's name and `Grade.result`."""

OPEN = "Not decided yet: no points are booked and none are lost. The course staff looks at it."
NO_FILE = "No file was handed in."

_NEWLINE = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Unix newlines, and nothing that a terminal obeys, xml refuses or an editor shows in another order."""
    return _INVISIBLE.sub("\ufffd", _ESCAPE.sub("", _NEWLINE.sub("\n", text)))


def cases(report: ExerciseReport) -> list[CaseReport]:
    """The cases that say something about the submission."""
    return [case for case in report.cases if case.status is not Status.GRADER_ERROR]


def explanation(case: CaseReport) -> str:
    """All that the report has on a case; hidden cases were cut to what may be seen when it was made."""
    parts = [
        case.setting if case.setting != case.name else "",
        case.message,
        case.diagnosis,
        *case.lines,
        numbers(case),
    ]
    if case.output.strip():
        parts += ["your prints:", case.output.rstrip()]
    return clean("\n".join(part for part in parts if part))


def by_hand(grade: Grade) -> str:
    """What the override says; empty without one."""
    return clean(f"Set by hand: {grade.override.reason}") if grade.override else ""


def lateness(row: Row) -> str:
    """What being late cost; empty for who was in time."""
    if not row.days_late:
        return ""
    days = f"{row.days_late} day{'s' * (row.days_late != 1)}"
    return f"{days} late: {row.late_factor:.4g} of the points are left."


def number(value: float) -> str:
    """At most two decimals, and no more than there are."""
    return f"{round(value, 2):.2f}".rstrip("0").rstrip(".")
