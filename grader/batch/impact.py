"""What changes for whom, from one batch folder to another: before a regrade is published.

OLD and NEW are two books with their reports, each bound by the same function from its own folder, so overrides and
lateness are treated alike. Four kinds of differences are told apart: an effect of the tests, a file that is another
one, a decision of a TA, and a grade that is open on one side. All of it is data; `impact_text.py` prints it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from grader.batch import mapping as table
from grader.batch.again import changed_cases, differing
from grader.batch.book import Book, Grade, Row
from grader.batch.edges import Edge, edges
from grader.batch.result import Conditions
from grader.batch.spread import Spread, spread
from grader.exercise import Exercise
from grader.report import ExerciseReport
from grader.status import Status

SCHEMA_VERSION = 1
Cause = Literal["tests", "unsteady", "file", "by hand", "open"]
"""Of a changed grade: the tests, or what else the verdicts were made with; nothing, since file and conditions are the
same; another file; a decision of a TA; open on one side at least, so that no points can be compared."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class Side:
    """One of the two folders."""

    book: Book
    reports: Mapping[tuple[str, str], ExerciseReport]
    mapping: table.Mapping
    conditions: Mapping[str, Conditions]  # of the last run, by exercise; without those that are not known


class Standing(_Model):
    """A grade on one side."""

    status: Status | None  # None: no file
    points: float | None  # before lateness; None: nobody knows them
    max_points: int
    is_open: bool
    by_hand: bool


class Change(_Model):
    """A person's grade that is another one."""

    person: str
    name: str
    entry: str
    exercise: str
    cause: Cause
    before: Standing
    after: Standing
    cases: tuple[str, ...]  # what became of each case that changed

    @property
    def gain(self) -> float | None:
        """Points more than before, of known ones; None where a side is open or not known."""
        if self.cause == "open" or self.before.points is None or self.after.points is None:
            return None
        return round(self.after.points - self.before.points, 6)


class Total(_Model):
    """A person's sum after lateness, where it is another one, and both are finished."""

    person: str
    name: str
    entry: str
    before: float
    after: float
    days_late: tuple[int, int]  # before and after


class Impact(_Model):
    """All that changes."""

    schema_version: int = SCHEMA_VERSION
    people: int  # in both
    conditions: dict[str, tuple[str, ...]]  # by exercise: what the verdicts are made with and differs
    changes: tuple[Change, ...]
    totals: tuple[Total, ...]
    spreads: tuple[Spread, ...]  # of each exercise, then of all
    edges: tuple[Edge, ...]  # in NEW
    open_before: tuple[str, ...]  # `ada, scaling: why` of each grade that is not decided
    open_after: tuple[str, ...]
    only_before: tuple[str, ...]  # `person (submission)`
    only_after: tuple[str, ...]
    exercises_only_before: tuple[str, ...]
    exercises_only_after: tuple[str, ...]

    @property
    def nobody_changes(self) -> bool:
        """Whether everybody of both has the same points for every exercise, and the same sum, as far as is decided."""
        same = all(c.gain == 0 or (c.before.is_open and c.after.is_open) for c in self.changes)
        return same and not self.totals and not self.exercises_only_before and not self.exercises_only_after


def impact(old: Side, new: Side, exercises: Sequence[Exercise]) -> Impact:
    """Compare; `exercises` are today's, whose thresholds say who sits on an edge."""
    before, after = _rows(old.book), _rows(new.book)
    both = [key for key in after if key in before]
    names = [name for name in _names(new.book) if name in _names(old.book)]
    pairs = [(before[key], after[key]) for key in both]
    other = _other_files(old.mapping, new.mapping)
    return Impact(
        people=len(both),
        conditions={name: made for name in names if (made := _made_with(name, old, new))},
        changes=tuple(change for a, b in pairs for change in _changes(a, b, names, old, new, other)),
        totals=tuple(_totals(pairs)),
        spreads=tuple(_spreads(pairs, names, other)),
        edges=edges(new.book, new.reports, exercises),
        open_before=tuple(_open(old.book)),
        open_after=tuple(_open(new.book)),
        only_before=tuple(f"{key[0]} ({key[1]})" for key in before if key not in after),
        only_after=tuple(f"{key[0]} ({key[1]})" for key in after if key not in before),
        exercises_only_before=tuple(name for name in _names(old.book) if name not in names),
        exercises_only_after=tuple(name for name in _names(new.book) if name not in names),
    )


def _rows(book: Book) -> dict[tuple[str, str], Row]:
    return {(row.person.id, row.entry): row for row in book.rows}


def _names(book: Book) -> list[str]:
    return [column.exercise for column in book.columns]


def _grades(row: Row) -> dict[str, Grade]:
    return {grade.exercise: grade for grade in row.grades}


def _other_files(old: table.Mapping, new: table.Mapping) -> set[tuple[str, str]]:
    """(submission, exercise) of which the bytes are others, or there is a file on one side only."""
    before, after = (
        {(e.id, file.exercise): file.content for e in mapping.entries for file in e.files} for mapping in (old, new)
    )
    return {key for key in {*before, *after} if before.get(key) != after.get(key)}


def _made_with(name: str, old: Side, new: Side) -> tuple[str, ...]:
    before, after = old.conditions.get(name), new.conditions.get(name)
    if before is None or after is None:
        where = "both" if before is after else "OLD" if before is None else "NEW"
        return (f"not known in {where}: nothing was graded there",)
    return differing(before, after)


def _changes(
    before: Row, after: Row, names: Sequence[str], old: Side, new: Side, other: set[tuple[str, str]]
) -> Iterator[Change]:
    was, now = _grades(before), _grades(after)
    for name in names:
        one, two = old.reports.get((name, was[name].result)), new.reports.get((name, now[name].result))
        standings = _standing(was[name]), _standing(now[name])
        cases = changed_cases(one, two) if one and two else ()
        if standings[0] == standings[1] and not cases:
            continue
        yield Change(
            person=after.person.id,
            name=after.person.name,
            entry=after.entry,
            exercise=name,
            cause=_cause(was[name], now[name], (after.entry, name) in other),
            before=standings[0],
            after=standings[1],
            cases=tuple(case.text for case in cases),
        )


def _standing(grade: Grade) -> Standing:
    return Standing(
        status=grade.status,
        points=grade.known,
        max_points=grade.max_points,
        is_open=grade.is_open,
        by_hand=grade.override is not None,
    )


def _cause(was: Grade, now: Grade, is_other_file: bool) -> Cause:
    if was.is_open or now.is_open:
        return "open"
    if was.override != now.override:
        return "by hand"
    if is_other_file:
        return "file"
    return "unsteady" if was.result and was.result == now.result else "tests"


def _totals(pairs: Sequence[tuple[Row, Row]]) -> Iterator[Total]:
    for before, after in pairs:
        if before.is_finished and after.is_finished and before.final != after.final:
            yield Total(
                person=after.person.id,
                name=after.person.name,
                entry=after.entry,
                before=before.final,
                after=after.final,
                days_late=(before.days_late, after.days_late),
            )


def _spreads(pairs: Sequence[tuple[Row, Row]], names: Sequence[str], other: set[tuple[str, str]]) -> Iterator[Spread]:
    """Only of what is decided on both sides and the same file: what is left is what the tests do."""
    for name in names:
        found = [(_grades(a)[name], _grades(b)[name]) for a, b in pairs if (b.entry, name) not in other]
        decided = [(a.raw, b.raw) for a, b in found if not a.is_open and not b.is_open]
        yield spread(name, decided, len(pairs))
    same = [(a, b) for a, b in pairs if not any((b.entry, name) in other for name in names)]
    finished = [(a.final, b.final) for a, b in same if a.is_finished and b.is_finished]
    yield spread("", finished, len(pairs))


def _open(book: Book) -> Iterator[str]:
    for row in book.rows:
        yield from (f"{row.person.id}, {g.exercise}: {g.flagged}" for g in row.grades if g.is_open)
