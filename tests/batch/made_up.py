"""A small made-up class: exercises, reports, a mapping."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grader.batch.mapping import Entry, FileEntry, Mapping, Person, content_of
from grader.batch.result import Result
from grader.exercise import Exercise, Limits, Points
from grader.judge import failed_to_judge, judge
from grader.records import PASSED, Finding, Setting, Visibility
from grader.report import ExerciseReport
from grader.status import Status

NOON = datetime(2026, 10, 1, 12, 0, tzinfo=timezone.utc)
SECRET = "expected 0.7310586 at element 4711"


def exercise(name: str = "adding", folder: Path = Path("/nowhere")) -> Exercise:
    """Ten points: 4 visible, 6 hidden (here shown as held by staff unless settings say otherwise)."""
    return Exercise(
        name=name,
        folder=folder,
        title=f"The exercise {name}",
        order=1,
        lecture="",
        file=f"{name}.py",
        stub_digest="0" * 16,
        entries=(),
        prototypes=(),
        requires=(),
        device="any",
        limits=Limits(),
        points=Points(visible=10, hidden=0),
        performance=(),
    )


def setting(test: str, points: int, finding: Finding = PASSED, hidden: bool = False, output: str = "") -> Setting:
    shown = Visibility.PATTERN if hidden else Visibility.FULL
    return Setting(test, test, f"title of {test}", points, shown, hidden, finding, output, 0.5)


WRONG = Finding(
    Status.INCORRECT, "wrong values", SECRET, "the last column\r\nis missing", ("adding.py:7 in add: x = <y> & z",)
)


def report(name: str = "adding", settings: Sequence[Setting] = ()) -> ExerciseReport:
    """4 of 10 points by default: the hidden case is wrong."""
    made = settings or [setting("test_small", 4), setting("test_hidden", 6, WRONG, hidden=True)]
    return judge(exercise(name), list(made), "cpu")


def full_report(name: str = "adding") -> ExerciseReport:
    return report(name, [setting("test_small", 4), setting("test_hidden", 6, hidden=True)])


def failed(name: str = "adding") -> ExerciseReport:
    return failed_to_judge(exercise(name), f"Traceback of hidden/test_hidden.py: {SECRET}")


def result(name: str = "adding", data: bytes = b"a", made: ExerciseReport | None = None, key: str = "k1") -> Result:
    return Result(exercise=name, content=content_of(data), conditions=key, report=made or report(name))


def results(*found: Result) -> dict[tuple[str, str], Result]:
    return {(one.exercise, one.content): one for one in found}


def file(name: str = "adding", data: bytes = b"a") -> FileEntry:
    return FileEntry(exercise=name, source=f"a.zip/{name}.py", content=content_of(data), size=len(data))


def entry(number: str, *people: str, files: Sequence[FileEntry] | None = None, **more: Any) -> Entry:
    persons = tuple(Person(id=p, name=p.title(), email=f"{p}@example.org") for p in people or (f"p{number}",))
    more.setdefault("submitted_at", NOON)
    return Entry(id=number, people=persons, files=tuple([file()] if files is None else files), **more)


def mapping(*entries: Entry) -> Mapping:
    return Mapping(layout="folders", entries=entries)
