"""JUnit xml of one submission: a suite for each exercise, for whatever shows the results of tests.

The format knows passed, failed and skipped. What was not measured is skipped, and so is an exercise that is not
decided: it has one test, which says so, and no points. Points stand in the suites' properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from grader.batch.book import Column, Grade, Row
from grader.export import feedback
from grader.export.feedback import Reports
from grader.report import CaseReport, ExerciseReport
from grader.status import Status


def xml(rows: Sequence[Row], columns: Sequence[Column], reports: Reports) -> str:
    """The file's text for one submission, given the rows of its people."""
    row = max(rows, key=lambda row: row.final)
    root = Element("testsuites", name=_plain(row.entry))
    for grade, column in zip(row.grades, columns, strict=True):
        _suite(root, row, grade, column, reports.get((grade.exercise, grade.result)))
    _count(root, list(root.iter("testcase")))
    ElementTree.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(root: Element, row: Row, grade: Grade, column: Column, report: ExerciseReport | None) -> None:
    suite = SubElement(root, "testsuite", name=_plain(grade.exercise))
    if row.submitted_at is not None:
        suite.set("timestamp", row.submitted_at.isoformat(timespec="seconds"))
    properties = SubElement(suite, "properties")
    for name, value in _properties(row, grade, column):
        SubElement(properties, "property", name=name, value=_plain(value))
    _cases(suite, grade, report)
    _count(suite, suite.findall("testcase"))


def _properties(row: Row, grade: Grade, column: Column) -> Iterator[tuple[str, str]]:
    yield "title", column.title
    if grade.is_open:
        return
    yield "status", grade.status.value if grade.status else "no file"
    yield "points", feedback.number(grade.raw)
    yield "max_points", str(grade.max_points)
    if grade.not_measured_points and not grade.override:
        yield "not_measured_points", str(grade.not_measured_points)
    if grade.override:
        yield "by_hand", feedback.by_hand(grade)
    if row.days_late:
        yield "lateness", feedback.lateness(row)


def _cases(suite: Element, grade: Grade, report: ExerciseReport | None) -> None:
    if grade.is_open:
        _said(_case(suite, grade, "not decided yet"), "skipped", feedback.undecided(grade))
        return
    if grade.override is not None:
        made = _case(suite, grade, "points set by hand")
        if grade.override.points < grade.max_points:
            _said(made, "failure", feedback.by_hand(grade))
    elif grade.status is None:
        _said(_case(suite, grade, "no file"), "failure", feedback.NO_FILE)
    for case in feedback.cases(report) if report else ():
        _judged(suite, grade, case)


def _judged(suite: Element, grade: Grade, case: CaseReport) -> None:
    made = _case(suite, grade, case.name)
    made.set("time", f"{sum(setting.seconds for setting in case.settings):.3f}")
    text = feedback.explanation(case)
    if case.not_measured_points or case.status is Status.NOT_MEASURED:
        _said(made, "skipped", text or case.status.value)
    elif case.status is not Status.PASSED:
        _said(made, "failure", text or case.status.value, case.status.value)
    elif text:
        SubElement(made, "system-out").text = text


def _case(suite: Element, grade: Grade, name: str) -> Element:
    return SubElement(suite, "testcase", classname=_plain(grade.exercise), name=_plain(name))


def _said(case: Element, tag: str, text: str, kind: str = "") -> None:
    """What is said of a case: its first line as the message, all of it as the text."""
    made = SubElement(case, tag, message=_plain(text.partition("\n")[0]))
    if kind:
        made.set("type", kind)
    made.text = text


def _count(element: Element, cases: Sequence[Element]) -> None:
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("errors", "0")
    element.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")


def _plain(text: str) -> str:
    """One line of what xml can hold."""
    return " ".join(feedback.clean(text).split())
