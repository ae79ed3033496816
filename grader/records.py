"""Frozen records that travel from the worker's evidence to the judge.

A `Finding` is what was seen in one setting of a test; a `Failure` carries it out of a test as an exception. Text is
kept in layers, because a hidden test may show a pattern and must not show a value:

    summary    no value of an input or output in it; shown unless visibility is `none`
    diagnosis  the pattern of what is wrong; shown with the summary
    lines      the student's own lines of a traceback; shown with the summary
    details    values, the text of exceptions: shown only when visibility is `full`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum

from grader.status import Status


class Visibility(str, Enum):
    """What a student may see of a case that failed."""

    FULL = "full"
    PATTERN = "pattern"
    NONE = "none"


class Kind(str, Enum):
    """What a case judges."""

    CORRECTNESS = "correctness"
    EFFICIENCY = "efficiency"
    PERFORMANCE = "performance"


BLOCKED = frozenset({Status.NOT_MEASURED, Status.GRADER_ERROR})
"""Statuses whose points are neither earned nor lost."""


@dataclass(frozen=True)
class Finding:
    """What was found in one setting of a test; `passed` is a finding like any other."""

    status: Status
    summary: str = ""
    details: str = ""
    diagnosis: str = ""
    lines: tuple[str, ...] = ()
    environment: bool = False  # blocked by this machine (no compiler, no Triton): nobody's points

    def __post_init__(self) -> None:
        """Every finding but `passed` says something; a `passed` one has nothing to say."""
        text = self.summary or self.details or self.diagnosis or self.lines
        if (self.status is Status.PASSED) == bool(text):
            raise ValueError(f"a finding that is {self.status.value} with text {text!r}")
        if self.environment and self.status is not Status.NOT_RUN:
            raise ValueError("only `not_run` can be blocked by the environment")

    @property
    def costs_points(self) -> bool:
        """Whether the points of this setting are lost."""
        return self.status is not Status.PASSED and not self.nobodys_fault

    @property
    def nobodys_fault(self) -> bool:
        """Whether the points are neither earned nor lost: not measured, our fault, or the machine's."""
        return self.status in BLOCKED or self.environment

    def _as_pattern(self) -> Finding:
        """Without values, and without the numbers that the submission chose."""
        if self.status not in _CHOSEN_NUMBERS:
            return replace(self, details="")
        summary, diagnosis = (_NUMBER.sub("…", text) for text in (self.summary, self.diagnosis))
        return replace(self, details="", summary=summary, diagnosis=diagnosis)

    def seen_as(self, visibility: Visibility) -> Finding:
        """The same finding with what a student may not see left out."""
        if self.status is Status.PASSED or visibility is Visibility.FULL:
            return self
        if self.nobodys_fault:
            return replace(self, details="")
        if visibility is Visibility.PATTERN:
            return self._as_pattern()
        return Finding(self.status, "a hidden case; nothing of it is shown")


_NUMBER = re.compile(r"(?<!\w)(?:0x[0-9a-f]+|\d[\d,.]*)")
_CHOSEN_NUMBERS = frozenset({Status.MEMORY_ERROR, Status.RUNTIME_ERROR, Status.CRASHED, Status.WRONG_SHAPE})
"""Statuses whose numbers (an address, an exit code, a size) a submission chooses, and can make of a hidden input."""


PASSED = Finding(Status.PASSED)


class Failure(Exception):
    """Carries a finding out of a test: the submission's doing, never the grader's."""

    def __init__(self, finding: Finding) -> None:
        """Keep the finding; the exception's own text is for the grader's log only."""
        super().__init__(f"{finding.status.value}: {finding.summary} {finding.details}".strip())
        self.finding = finding


@dataclass(frozen=True)
class Setting:
    """The evidence of one pytest item: a test function with one setting of its parameters."""

    test: str  # name of the test function: the case
    name: str  # with the parameters, e.g. `test_widths[127]`
    title: str  # first line of the test's docstring
    points: int  # of the whole test function
    visibility: Visibility
    hidden: bool
    finding: Finding
    output: str = ""  # the student's own prints
    seconds: float = 0.0
