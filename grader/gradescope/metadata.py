"""`submission_metadata.json`: who handed in, and when. A field that is missing or odd is a problem for staff to read.

Times come from this file and never from the clock: a regrade gives the same lateness.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.batch.layouts import moment
from grader.batch.mapping import Person

FILE = "submission_metadata.json"
_NOBODY = Person(id="submission")


@dataclass(frozen=True)
class Metadata:
    """What Gradescope says of one submission."""

    id: str
    people: tuple[Person, ...]  # one at least
    submitted_at: datetime | None
    is_late: bool | None  # by the assignment's due date; None where one of the times is not known
    problems: tuple[str, ...]


def read(file: Path, known: Collection[str] = ()) -> Metadata:
    """The file's content. A person's id is the one that `known` has (the late policy's), else the e-mail address."""
    data, problems = _loaded(file)
    submitted_at = _time(data.get("created_at"))
    if submitted_at is None and not problems:
        problems.append(f"{FILE}: created_at: expected a time, found {_short(data.get('created_at'))}")
    people = tuple(_people(data.get("users"), known, problems))
    assignment = data.get("assignment")
    due = _time(assignment.get("due_date")) if isinstance(assignment, dict) else None
    is_late = submitted_at > due if submitted_at and due else None
    return Metadata(_word(data.get("id")), people or (_NOBODY,), submitted_at, is_late, tuple(problems))


def _loaded(file: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        data = json.loads(file.read_bytes())
    except OSError as error:
        return {}, [f"{FILE}: cannot be read: {error.strerror}; nothing is known of who handed in, and when"]
    except (ValueError, RecursionError) as error:
        return {}, [f"{FILE}: not readable as JSON: {_short(str(error))}"]
    if not isinstance(data, dict):
        return {}, [f"{FILE}: expected fields, found {_short(data)}"]
    return data, []


def _people(users: Any, known: Collection[str], problems: list[str]) -> Iterator[Person]:
    listed = users if isinstance(users, list) else []
    for user in listed:
        if isinstance(user, dict) and any(_word(user.get(key)) for key in ("email", "id", "name")):
            yield _person(user, known)
        else:
            problems.append(f"{FILE}: users: expected email, id and name, found {_short(user)}")
    if not listed:
        problems.append(f"{FILE}: users: expected a list of people, found {_short(users)}")


def _person(user: dict[str, Any], known: Collection[str]) -> Person:
    email, number, name = (_word(user.get(key)) for key in ("email", "id", "name"))
    names = {word.casefold() for word in (email, number) if word}
    same = next((each for each in known if each.casefold() in names), "")
    return Person(id=same or email or number or name, name=name, email=email)


def _time(value: Any) -> datetime | None:
    """A time of this century: nothing can be reckoned with the ends of the calendar."""
    found = moment(value)
    return found if found is not None and 2000 <= found.year < 2100 else None


def _word(value: Any) -> str:
    """A text or a number, on one line; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return "".join(c for c in str(value) if c.isprintable())[:200].strip()


def _short(value: Any) -> str:
    return ascii(value)[:80]
