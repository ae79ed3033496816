"""One page for each person, in markdown: points, and for each case what the report lets students see."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.batch.book import Grade, Row
from grader.export import feedback
from grader.export.feedback import Reports, number
from grader.report import CaseReport


def page(row: Row, reports: Reports) -> str:
    """The page's text. What was handed in and printed stands in fences, so none of it is markup."""
    lines = [f"# {_plain(row.person.name or row.person.id)}", ""]
    if row.is_finished:
        most = sum(grade.max_points for grade in row.grades)
        lines += [f"**{number(row.final)} of {most} points.** {feedback.lateness(row)}".rstrip(), ""]
    else:
        lines += ["Some exercises are not decided yet, so there is no sum.", ""]
    for grade in row.grades:
        lines += _exercise(grade, reports)
    return "\n".join(lines).rstrip() + "\n"


def _exercise(grade: Grade, reports: Reports) -> Iterator[str]:
    yield from (f"## {grade.exercise}: {_worth(grade)}", "")
    report = reports.get((grade.exercise, grade.result))
    if grade.is_open:
        yield from (feedback.OPEN, "")
        return
    if grade.override is not None:
        yield from (_plain(feedback.by_hand(grade)), "")
    elif report is None:
        yield from (feedback.NO_FILE, "")
    for case in feedback.cases(report) if report else ():
        yield from _case(case)
    if grade.not_measured_points and not grade.override:
        yield from (f"{grade.not_measured_points} points could not be measured: neither earned nor lost.", "")


def _worth(grade: Grade) -> str:
    if grade.is_open:
        return "not decided yet"
    return f"{number(grade.raw)} of {grade.max_points} points"


def _case(case: CaseReport) -> Iterator[str]:
    points = f", {case.points} of {case.max_points} points" if case.max_points else ""
    yield from (f"### {_plain(case.name)}: {case.status.value}{points}", "")
    words = feedback.explanation(case)
    if words:
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", words)), default=0))
        yield from (fence, words, fence, "")


def _plain(text: str) -> str:
    """On one line, with nothing that markdown or html would take for markup."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|&~-])", r"\\\1", " ".join(feedback.clean(text).split()))
