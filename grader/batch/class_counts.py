"""What a class did, in numbers: per exercise and case who passed, how points are spread, what fails alike.

Pure functions of a book and its reports. Only decided grades count as verdicts, the others as open, so that the counts
of an exercise always add up to the people of the book.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.batch.book import Book, Grade
from grader.batch.failures import Cluster, clusters
from grader.batch.spread import Quartiles, quartiles
from grader.report import CaseReport, ExerciseReport
from grader.status import PRECEDENCE, Status

Reports = Mapping[tuple[str, str], ExerciseReport]
OPEN, NO_FILE = "open", "no file"
_ORDER = [Status.PASSED.value, *(s.value for s in PRECEDENCE if s is not Status.PASSED), NO_FILE, OPEN]
Counts = tuple[tuple[str, int], ...]
"""How many have each status, `passed` first."""


@dataclass(frozen=True)
class CaseCounts:
    """One case over the class."""

    name: str
    title: str
    kind: str
    hidden: bool
    max_points: int
    counts: Counts

    @property
    def total(self) -> int:
        """People with a verdict on it."""
        return sum(count for _, count in self.counts)

    @property
    def judged(self) -> int:
        """Those of whom it could be measured."""
        return self.total - dict(self.counts).get(Status.NOT_MEASURED.value, 0)

    @property
    def passed(self) -> int:
        """Those who passed."""
        return dict(self.counts).get(Status.PASSED.value, 0)


@dataclass(frozen=True)
class ExerciseCounts:
    """One exercise over the class."""

    exercise: str
    title: str
    max_points: int
    counts: Counts  # of everybody
    points: tuple[float, ...]  # of decided grades, a missing file's zero among them
    quartiles: Quartiles
    cases: tuple[CaseCounts, ...]
    clusters: tuple[Cluster, ...]


def label(grade: Grade) -> str:
    """The word under which a grade is counted: its status, or `open`, or `no file`."""
    if grade.is_open:
        return OPEN
    return grade.status.value if grade.status is not None else NO_FILE


def count(book: Book, reports: Reports) -> list[ExerciseCounts]:
    """Each column of the book."""
    return [_exercise(book, reports, position) for position in range(len(book.columns))]


def _exercise(book: Book, reports: Reports, position: int) -> ExerciseCounts:
    column = book.columns[position]
    grades = [(row.person.id, row.grades[position]) for row in book.rows]
    points = tuple(grade.raw for _, grade in grades if not grade.is_open)
    found = list(_verdicts(grades, reports))
    return ExerciseCounts(
        exercise=column.exercise,
        title=column.title,
        max_points=column.max_points,
        counts=_ordered(Counter(label(grade) for _, grade in grades)),
        points=points,
        quartiles=quartiles(points),
        cases=tuple(_cases([report for _, report in found])),
        clusters=tuple(clusters(column.exercise, found)),
    )


def _verdicts(grades: Sequence[tuple[str, Grade]], reports: Reports) -> Iterator[tuple[str, ExerciseReport]]:
    for person, grade in grades:
        report = reports.get((grade.exercise, grade.result))
        if report is not None and not grade.is_open and report.status is not Status.GRADER_ERROR:
            yield person, report


def _cases(reports: Sequence[ExerciseReport]) -> Iterator[CaseCounts]:
    found: dict[str, list[CaseReport]] = {}
    for report in reports:
        for case in report.cases:
            found.setdefault(case.name, []).append(case)
    for name, cases in found.items():
        first = cases[0]
        counts = _ordered(Counter(case.status.value for case in cases))
        yield CaseCounts(name, first.title, first.kind.value, first.hidden, first.max_points, counts)


def _ordered(counts: Counter[str]) -> Counts:
    return tuple((name, counts[name]) for name in _ORDER if counts[name])
