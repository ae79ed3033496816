"""The book of grades: what every person gets for every exercise, and why.

`bind` (bind.py) is a pure function of the mapping, the results that there are, the TA's overrides and the late policy.
A fault of ours is never a zero: such a grade is flagged, has no points, and the row says that it is unfinished.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from grader.batch.mapping import Person
from grader.status import Status

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Override(_Model):
    """What a TA decided by hand."""

    entry: str  # id of the submission
    exercise: str
    points: float
    reason: str
    by: str = ""
    at: datetime | None = None
    content: str | None = None  # of the file that it was decided about; empty: there was none; None: not said


class Column(_Model):
    """One exercise of the book."""

    exercise: str
    title: str
    max_points: int


class Grade(_Model):
    """One exercise of one submission."""

    exercise: str
    status: Status | None  # None: no file was handed in
    points: int  # by the grader
    max_points: int
    not_measured_points: int  # neither earned nor lost on this device
    result: str = ""  # the file under results/ that says why
    flagged: str = ""  # why a person must look; then `points` are no verdict yet, see `known`
    override: Override | None = None

    @property
    def is_open(self) -> bool:
        """Whether a person or another run has to decide; nothing of it is published."""
        return bool(self.flagged) and self.override is None

    @property
    def known(self) -> float | None:
        """The points before lateness, as far as anybody knows: None is not a zero."""
        has_verdict = bool(self.result) and self.status is not Status.GRADER_ERROR
        return None if self.is_open and not has_verdict else self.raw

    @property
    def raw(self) -> float:
        """The points before lateness: the TA's where there are some."""
        return self.override.points if self.override else float(self.points)


class Row(_Model):
    """One person's line; the members of a group have one each, from the same submission."""

    person: Person
    entry: str  # id of the submission
    submitted_at: datetime | None
    days_late: int
    late_factor: float  # what lateness leaves: 1.0 for a submission in time
    grades: tuple[Grade, ...]  # in the order of the columns
    problems: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The sum before lateness."""
        return sum(grade.raw for grade in self.grades)

    @property
    def final(self) -> float:
        """The sum after lateness, to two decimals."""
        return round(self.points * self.late_factor, 2)

    @property
    def is_finished(self) -> bool:
        """Whether no grade waits for a person or for another run."""
        return not any(grade.is_open for grade in self.grades)


class Book(_Model):
    """The whole class, in the order of the persons' ids."""

    schema_version: int = SCHEMA_VERSION
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()  # of no row: an override or an extension for somebody who is not there

    @property
    def max_points(self) -> int:
        """Of all columns."""
        return sum(column.max_points for column in self.columns)
