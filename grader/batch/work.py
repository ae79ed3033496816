"""What there is to do: every file of the mapping that has no verdict yet under the conditions of this run.

A file that several submissions share is graded once. A verdict is claimed by a lock on a file of its own, which the
system gives back when its holder dies, on whatever machine that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase

from filelock import FileLock, Timeout

from grader.batch.folder import Folder
from grader.batch.mapping import Entry, Mapping
from grader.batch.result import Result


@dataclass(frozen=True)
class Item:
    """One file to grade."""

    exercise: str
    content: str
    entry: str  # the first submission that has it


def chosen(mapping: Mapping, only: str) -> list[Entry]:
    """The submissions whose id, or a person's id or name, matches the pattern; all without one."""
    return [entry for entry in mapping.entries if not only or any(fnmatchcase(n, only) for n in _names(entry))]


def _names(entry: Entry) -> list[str]:
    return [entry.id, *(person.id for person in entry.people), *(person.name for person in entry.people)]


def items(entries: Sequence[Entry], exercises: Sequence[str]) -> list[Item]:
    """Each different file once, exercise by exercise, so that workers of one kind are used one after the other."""
    found: dict[tuple[str, str], Item] = {}
    for name in exercises:
        for entry in entries:
            for file in entry.files:
                if file.exercise == name:
                    found.setdefault((name, file.content), Item(name, file.content, entry.id))
    return list(found.values())


def is_done(result: Result | None) -> bool:
    """Whether there is a verdict; a fault of ours is none."""
    return result is not None and not result.is_ours


@contextmanager
def claimed(folder: Folder, item: Item, conditions: str) -> Iterator[bool]:
    """Whether this process may make the verdict: nobody else is at it."""
    lock = FileLock(folder.claim(item.exercise, item.content, conditions), mode=0o666)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
