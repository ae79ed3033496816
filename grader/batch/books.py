"""From a batch's folder to its book, and the book's files."""

from __future__ import annotations

from collections.abc import Sequence

from grader.batch.bind import bind
from grader.batch.book import Book
from grader.batch.folder import Folder
from grader.batch.late import Policy
from grader.batch.overrides import read as read_overrides
from grader.batch.result import Result
from grader.exercise import Exercise

Key = tuple[str, str]


def bound(folder: Folder, exercises: Sequence[Exercise], policy: Policy | None = None) -> Book:
    """The book as it stands: made of the verdicts of the last run, of older ones where there is none."""
    now, older = verdicts(folder)
    return bind(folder.mapping(), exercises, now, read_overrides(folder.path), policy, older)


def verdicts(folder: Folder) -> tuple[dict[Key, Result], dict[Key, Result]]:
    """Those of the last run by exercise and content, and the newest good ones made under other conditions."""
    now: dict[Key, Result] = {}
    older: dict[Key, Result] = {}
    current: dict[str, str] = {}
    for result in folder.results():
        if result.exercise not in current:
            current[result.exercise] = folder.current(result.exercise)
        if result.conditions == current[result.exercise]:
            now[result.exercise, result.content] = result
        elif not result.is_ours:
            older[result.exercise, result.content] = result
    return now, older
