"""Was a verdict the same the second time? A pure comparison of two results of one file.

Equal bytes under equal conditions must give equal verdicts. What the clock gave and what a submission printed may
differ; points and statuses may not, and where they do, a person has to look before anything is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.batch import failures
from grader.batch.result import Conditions, Result
from grader.report import CaseReport, ExerciseReport
from grader.status import Status

_MEANING = {
    "tests": "the exercise's folder: tests, thresholds or reference",
    "grader": "the grader's own source",
    "environment.isolation": "the sandbox's level",
    "compilers": "the compilers",
    "seed": "the inputs' seed",
}


@dataclass(frozen=True)
class Verdict:
    """What a case is worth, without words and times."""

    status: Status
    points: int
    max_points: int
    not_measured_points: int
    settings: tuple[tuple[str, Status], ...]


@dataclass(frozen=True)
class CaseChange:
    """A case whose verdict differs; None where there is no such case."""

    case: str
    before: Verdict | None
    after: Verdict | None

    @property
    def text(self) -> str:
        """Such as `test_widths: passed 4/4 → incorrect 0/4`."""
        told = (_told(self.before), _told(self.after))
        if told[0] == told[1]:
            return f"{self.case}: {told[0]} as before, other settings: {', '.join(self._settings())}"
        return f"{self.case}: {told[0]} → {told[1]}"

    def _settings(self) -> Iterator[str]:
        assert self.before is not None
        assert self.after is not None
        before, after = dict(self.before.settings), dict(self.after.settings)
        for name in dict.fromkeys((*before, *after)):
            one, two = before.get(name), after.get(name)
            if one is not two:
                yield f"{name} {one.value if one else 'absent'} → {two.value if two else 'absent'}"


@dataclass(frozen=True)
class Comparison:
    """Two results of one file."""

    exercise: str
    before: str  # status and points, in words
    after: str
    cases: tuple[CaseChange, ...]
    conditions: tuple[str, ...]  # what they were made with and differs, a sentence each
    reworded: tuple[str, ...]  # cases with the same verdict that say something else
    without_verdict: bool  # the grader failed in one of them, or in both

    @property
    def is_same(self) -> bool:
        """Whether both are verdicts, and the same."""
        return not self.without_verdict and not self.cases and self.before == self.after

    @property
    def is_unsteady(self) -> bool:
        """Whether nothing but chance can explain the difference."""
        return not self.is_same and not self.without_verdict and not self.conditions

    @property
    def text(self) -> str:
        """For a TA: the sentence, then a line for each case and condition that differs."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.exercise}: {self._sentence()}"
        yield from (f"  {change.text}" for change in self.cases)
        if self.conditions:
            yield "  made with something else:" if not self.is_same else "  although made with something else:"
        yield from (f"    {line}" for line in self.conditions)
        if self.reworded:
            yield f"  the same verdict in other words: {', '.join(self.reworded)}"

    def _sentence(self) -> str:
        if self.without_verdict:
            return f"the grader failed, so there are no two verdicts: {self.before}, then {self.after}"
        if self.is_same:
            return f"the same verdict: {self.after}"
        if self.is_unsteady:
            return f"the verdict is not steady: {self.before}, then {self.after}; decide by hand what is booked"
        return f"another verdict: {self.before} → {self.after}"


def compare(before: Result, after: Result, conditions_before: Conditions, conditions_after: Conditions) -> Comparison:
    """Compare two results of one file; raises ValueError for those of two files."""
    if (before.exercise, before.content) != (after.exercise, after.content):
        raise ValueError(
            f"two results of different files: {before.exercise}/{before.name}, {after.exercise}/{after.name}"
        )
    return Comparison(
        exercise=after.exercise,
        before=_booked(before.report),
        after=_booked(after.report),
        cases=changed_cases(before.report, after.report),
        conditions=differing(conditions_before, conditions_after),
        reworded=tuple(_reworded(before.report, after.report)),
        without_verdict=before.is_ours or after.is_ours,
    )


def changed_cases(before: ExerciseReport, after: ExerciseReport) -> tuple[CaseChange, ...]:
    """Cases with another status, other points, or another status in one of their settings."""
    old, new = _verdicts(before), _verdicts(after)
    names = dict.fromkeys((*old, *new))
    return tuple(CaseChange(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name))


def differing(before: Conditions, after: Conditions) -> tuple[str, ...]:
    """What two verdicts were made with that is not the same, a sentence each."""
    old, new = _flat(before.model_dump()), _flat(after.model_dump())
    return tuple(_difference(field, old.get(field, ""), new[field]) for field in new if old.get(field) != new[field])


def _flat(data: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in data.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return found


def _difference(field: str, before: object, after: object) -> str:
    meaning = f" ({_MEANING[field]})" if field in _MEANING else ""
    return f"{field}{meaning}: {before if before != '' else 'none'} → {after if after != '' else 'none'}"


def _verdicts(report: ExerciseReport) -> dict[str, Verdict]:
    return {case.name: _verdict(case) for case in report.cases}


def _verdict(case: CaseReport) -> Verdict:
    settings = tuple((setting.name, setting.status) for setting in case.settings)
    return Verdict(case.status, case.points, case.max_points, case.not_measured_points, settings)


def _reworded(before: ExerciseReport, after: ExerciseReport) -> Iterator[str]:
    """By pattern, so that a time or an address makes no difference."""
    old = {case.name: case for case in before.cases}
    for case in after.cases:
        other = old.get(case.name)
        if other is not None and _verdict(other) == _verdict(case) and failures.said(other) != failures.said(case):
            yield case.name


def _told(verdict: Verdict | None) -> str:
    if verdict is None:
        return "no such case"
    left = f", {verdict.not_measured_points} not measured" if verdict.not_measured_points else ""
    return f"{verdict.status.value} {verdict.points}/{verdict.max_points}{left}"


def _booked(report: ExerciseReport) -> str:
    left = f", {report.not_measured_points} not measured" if report.not_measured_points else ""
    return f"{report.status.value} {report.points}/{report.max_points}{left}"
