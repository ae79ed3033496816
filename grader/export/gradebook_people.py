"""Who is who in a gradebook: each person of a book and the line that is theirs, or a refusal that names the doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from grader.batch.mapping import Person
from grader.errors import UsageError
from grader.export.csv_cells import Row
from grader.export.feedback import clean
from grader.export.gradebook import IDS, Gradebook

Lines = dict[str, Row]
"""A gradebook's lines by the person's id."""


def matched(gradebook: Gradebook, people: Sequence[Person], match: Sequence[str]) -> tuple[Lines, list[str]]:
    """Each person's line, and who has none; raises UsageError with everybody whose line is in doubt."""
    columns = _columns(gradebook, match)
    index = {name: _indexed(gradebook.students, place, name) for name, place in columns.items()}
    lines: Lines = {}
    absent, doubts = [], []
    for person in people:
        found = {name: each for name in columns if (each := _lines_of(person, name, index[name]))}
        different = {line[0].start: line for each in found.values() for line in each}
        if len(different) > 1:
            said = "; ".join(f"{name}: line {_numbers(each)}" for name, each in found.items())
            doubts.append(f"{clean(person.id)}: {said}")
        elif different:
            lines[person.id] = next(iter(different.values()))
        else:
            absent.append(person.id)
    doubts += _shared(lines)
    if doubts:
        raise UsageError(
            "the gradebook does not say clearly who is who, so nothing was filled in:\n  "
            + "\n  ".join(doubts)
            + "\nchoose the column to go by with --match, or take these lines out of a copy of the gradebook"
        )
    return lines, absent


def _columns(gradebook: Gradebook, match: Sequence[str]) -> dict[str, int]:
    unknown = [name for name in match if name not in gradebook.ids]
    if unknown:
        there = ", ".join(gradebook.ids)
        raise UsageError(f"--match {unknown[0]!r}: expected one of {', '.join(IDS)}; this gradebook has {there}")
    return {name: place for name, place in gradebook.ids.items() if name in match or not match}


def _indexed(students: Iterable[Row], place: int, column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for line in students:
        if line[place].value.strip():
            found.setdefault(_key(line[place].value, column), []).append(line)
    return found


def _key(text: str, column: str) -> str:
    """Logins are the same in capitals."""
    return text.strip().casefold() if column == "SIS Login ID" else text.strip()


def _lines_of(person: Person, column: str, index: Mapping[str, list[Row]]) -> list[Row]:
    """A login may be an address; the other two are numbers of their own."""
    names = (person.id, person.email) if column == "SIS Login ID" else (person.id,)
    keys = dict.fromkeys(_key(name, column) for name in names if name.strip())
    return [line for key in keys for line in index.get(key, ())]


def _numbers(lines: Iterable[Row]) -> str:
    return ", ".join(str(line[0].line) for line in lines)


def _shared(lines: Lines) -> Iterator[str]:
    owners: dict[int, list[str]] = {}
    for person, line in lines.items():
        owners.setdefault(line[0].line, []).append(person)
    yield from (f"{' and '.join(map(clean, who))} are both line {line}" for line, who in owners.items() if len(who) > 1)
