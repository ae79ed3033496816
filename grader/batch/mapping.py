"""Who handed in what: the table that `ingest` makes, and all that the later steps know of submissions.

It is data, kept as `mapping.json` beside the files' bytes; the folder that was handed in is not needed afterwards.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Person(_Model):
    """One student. The id is what the LMS calls stable (user id, login, student number), never a display name."""

    id: str
    name: str = ""
    email: str = ""


class FileEntry(_Model):
    """One exercise's file of a submission."""

    exercise: str
    source: str  # where it was found, as a TA would look for it: `a.zip/answers/FILE.py`
    content: str  # digest of its bytes, see `content_of`
    size: int  # in bytes


class Entry(_Model):
    """One submission: of one person, or of a group."""

    id: str  # stable, unique in the mapping, usable as the name of a file
    people: tuple[Person, ...]  # one at least; where the LMS names nobody, the submission's id stands for the person
    submitted_at: datetime | None = None  # with a time zone
    is_late: bool | None = None  # as the LMS marks it; None where it says nothing
    files: tuple[FileEntry, ...] = ()  # one at most for an exercise
    problems: tuple[str, ...] = ()  # each a sentence for the TA, none of them fatal
    ignored: tuple[str, ...] = ()  # students' copies of tests and the like, which are never used


class Mapping(_Model):
    """The whole table, in the order of ids."""

    schema_version: int = SCHEMA_VERSION
    layout: str  # gradescope, canvas, classroom, folders, archives or pattern
    exercises: tuple[str, ...] = ()  # that the batch is about: the columns of its book
    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()  # of no submission: a broken archive, a roster with duplicates


@dataclass(frozen=True)
class Intake:
    """A mapping, and the bytes that it speaks of by their content."""

    mapping: Mapping
    files: dict[str, bytes]


def content_of(data: bytes) -> str:
    """32 hexadecimal digits of a file's bytes: the name under which it is kept."""
    return hashlib.sha256(data).hexdigest()[:32]
