"""Who sits on an edge: a little more or less, and the points would be others. For people to look at, never a verdict.

one setting        one of several settings fails, and the case is all or nothing
one case           all but one case has its full points
one quarter        all but a timed case is full, and that lacks one quarter
inside interval    the clock's interval reaches over an edge between two quarters
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from grader.batch.book import Book
from grader.batch.failures import FINE
from grader.exercise import Exercise, PerformanceCase
from grader.report import CaseReport, ExerciseReport, PerformanceReport
from grader.timing.marks import QUARTERS, quarters

Kind = Literal["one setting", "one case", "one quarter", "inside interval"]


class Edge(BaseModel):
    """The people who sit on one edge of one case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exercise: str
    case: str
    kind: Kind
    points: int  # that the case is worth
    people: tuple[str, ...]


def edges(
    book: Book, reports: Mapping[tuple[str, str], ExerciseReport], exercises: Sequence[Exercise]
) -> tuple[Edge, ...]:
    """All of them, by exercise and case; grades that are open or set by hand have none."""
    targets = {(e.name, case.name): case for e in exercises for case in e.performance}
    found: dict[tuple[str, str, Kind, int], list[str]] = {}
    for row in book.rows:
        for grade in row.grades:
            report = reports.get((grade.exercise, grade.result))
            if report is None or grade.is_open or grade.override is not None:
                continue
            for case, kind in _of_report(report, targets):
                found.setdefault((grade.exercise, case.name, kind, case.max_points), []).append(row.person.id)
    return tuple(
        Edge(exercise=exercise, case=case, kind=kind, points=points, people=tuple(people))
        for (exercise, case, kind, points), people in sorted(found.items())
    )


def _of_report(
    report: ExerciseReport, targets: Mapping[tuple[str, str], PerformanceCase]
) -> Iterator[tuple[CaseReport, Kind]]:
    lacking = [case for case in report.cases if case.points < case.max_points - case.not_measured_points]
    if len(lacking) == 1:
        yield lacking[0], "one quarter" if _lacks_a_quarter(lacking[0]) else "one case"
    for case in report.cases:
        failing = [setting for setting in case.settings if setting.status not in FINE]
        if case in lacking and len(failing) == 1 and case.settings[1:]:
            yield case, "one setting"
        target = targets.get((report.name, case.name))
        if target is not None and case.performance is not None and _reaches_over(case.performance, target):
            yield case, "inside interval"


def _lacks_a_quarter(case: CaseReport) -> bool:
    return case.performance is not None and case.points * QUARTERS == case.max_points * (QUARTERS - 1)


def _reaches_over(seen: PerformanceReport, target: PerformanceCase) -> bool:
    """By the interval of the submission's own time; the baseline's, which the report does not have, is left out."""
    worst, best = (quarters(seen.share * seen.time_ms / time, target) for time in (seen.high_ms, seen.low_ms))
    return worst != best
