"""A roster: a CSV with an id and, if it likes, a name and an address for each student. It joins names to ids."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.layouts import Handed
from grader.batch.mapping import Person
from grader.errors import UsageError

_IDS = ("id", "sid", "student id", "user id", "sis user id", "sis login id", "login", "github_username", "username")
_NAMES = ("name", "student", "full name", "student name")
_EMAILS = ("email", "e-mail", "email address")


@dataclass(frozen=True)
class Roster:
    """The class, and what is odd about the file."""

    people: dict[str, Person]
    problems: tuple[str, ...]


def read(file: Path) -> Roster:
    """Raises UsageError where the file cannot be used at all."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--roster {file}: cannot be read: {error}") from None
    sample = text[:4096]
    delimiter = ";" if sample.count(";") > sample.count(",") else "\t" if "\t" in sample and "," not in sample else ","
    rows = list(csv.DictReader(text.splitlines(), delimiter=delimiter))
    columns = {(name or "").strip().lower(): name for name in (rows[0] if rows else {})}
    ids = next((columns[name] for name in _IDS if name in columns), None)
    if ids is None:
        found = ", ".join(columns) or "nothing"
        raise UsageError(f"--roster {file}: expected a header with one of {', '.join(_IDS)}; found {found}")
    name, email = (next((columns[n] for n in names if n in columns), "") for names in (_NAMES, _EMAILS))
    people, problems = {}, []
    for number, row in enumerate(rows, start=2):
        key = (row.get(ids) or "").strip()
        if not key:
            problems.append(f"{file.name}:{number}: no id; the line is not used")
            continue
        if key in people:
            problems.append(f"{file.name}:{number}: the id {key} stands here twice; the first one counts")
            continue
        people[key] = Person(id=key, name=(row.get(name) or "").strip(), email=(row.get(email) or "").strip())
    return Roster(people, tuple(problems))


def joined(handed: Sequence[Handed], roster: Roster) -> tuple[list[Handed], list[str]]:
    """Submissions with the roster's names, one without files for whoever handed in nothing, and what does not fit."""
    problems = list(roster.problems)
    seen: set[str] = set()
    for entry in handed:
        entry.people = tuple(_known(person, roster) for person in entry.people)
        seen.update(person.id for person in entry.people)
        entry.problems += [f"{p.id} is not in the roster" for p in entry.people if p.id not in roster.people]
    missing = [Handed(p.id, (p,)) for p in roster.people.values() if p.id not in seen]
    return [*handed, *missing], [*problems, *_one_address_twice(roster)]


def _known(person: Person, roster: Roster) -> Person:
    """By the id, else by the address."""
    if person.id in roster.people:
        found = roster.people[person.id]
    else:
        same = [p for p in roster.people.values() if p.email and p.email.lower() in (person.email.lower(), person.id)]
        found = same[0] if len(same) == 1 else person
    return Person(id=found.id, name=found.name or person.name, email=found.email or person.email)


def _one_address_twice(roster: Roster) -> Iterator[str]:
    counts = Counter(person.email.lower() for person in roster.people.values() if person.email)
    yield from (
        f"the address {email} belongs to {count} people of the roster" for email, count in counts.items() if count > 1
    )
