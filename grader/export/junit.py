"""JUnit xml of one submission, for CI systems: a suite for each exercise, a case for each of ours."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from grader.batch.book import Grade, Row
from grader.export import feedback
from grader.export.feedback import Reports
from grader.report import CaseReport, ExerciseReport
from grader.status import Status

_NO_ANSWER = (Status.NOT_MEASURED, Status.NOT_RUN)


def text(row: Row, reports: Reports) -> str:
    """The file; what nobody has decided is skipped, never failed."""
    root = Element("testsuites", name=feedback.clean(row.entry))
    for grade in row.grades:
        _suite(root, grade, reports.get((grade.exercise, grade.result)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, grade: Grade, report: ExerciseReport | None) -> None:
    suite = SubElement(root, "testsuite", name=grade.exercise)
    for case in _cases(suite, grade, report):
        suite.append(case)
    for count, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("skipped", "testcase/skipped")):
        suite.set(count, str(len(suite.findall(tag))))
    suite.set("errors", "0")


def _cases(suite: Element, grade: Grade, report: ExerciseReport | None) -> Iterator[Element]:
    if grade.is_open:
        yield _case(grade, "not decided yet", "skipped", feedback.OPEN)
    elif grade.override is not None:
        yield _case(grade, "points set by hand", "", feedback.by_hand(grade))
    elif report is None:
        yield _case(grade, "no file", "failure", feedback.NO_FILE)
    for case in feedback.cases(report) if report and not grade.is_open else ():
        yield _of(grade, case)


def _of(grade: Grade, case: CaseReport) -> Element:
    tag = "" if case.status is Status.PASSED else "skipped" if case.status in _NO_ANSWER else "failure"
    made = _case(grade, case.name, tag, feedback.explanation(case), case.status.value)
    made.set("time", f"{sum(setting.seconds for setting in case.settings):.3f}")
    return made


def _case(grade: Grade, name: str, tag: str, words: str, status: str = "") -> Element:
    case = Element("testcase", classname=grade.exercise, name=feedback.clean(name))
    child = SubElement(case, tag or "system-out")
    if tag:
        child.set("message", status or name)
    child.text = words
    return case
