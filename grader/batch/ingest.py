"""From a folder or an archive to the mapping: who handed in what. Nothing is unpacked to disk, nothing is executed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from grader.batch import roster as rosters
from grader.batch.layouts import Handed, split
from grader.batch.mapping import Entry, Intake, Mapping
from grader.batch.matching import match
from grader.batch.tree import nodes
from grader.errors import UsageError
from grader.exercise import Exercise

MAX_ID = 80
"""Characters of a submission's id: it becomes the name of files."""


def ingest(
    path: Path,
    exercises: Sequence[Exercise],
    layout: str = "auto",
    roster: Path | None = None,
    pattern: str = "",
) -> Intake:
    """The mapping and the bytes that it names. Raises UsageError where there is nothing that could be a hand-in."""
    if not path.exists():
        raise UsageError(f"{path}: there is no such folder or archive")
    name, (handed, problems) = split(nodes(path), layout, pattern)
    if roster is not None:
        handed, said = rosters.joined(handed, rosters.read(roster))
        problems = [*said, *problems]
    if not any(each.nodes for each in handed):
        what = "; ".join(problems[:3]) or "it is empty"
        raise UsageError(
            f"{path}: no submission found ({what}); known are an export of Gradescope or Canvas, clones of GitHub "
            "Classroom, a folder or an archive for each student, and --pattern for the rest"
        )
    files: dict[str, bytes] = {}
    entries: list[Entry] = []
    taken: set[str] = set()
    for each in sorted(handed, key=lambda h: h.id):
        entries.append(_entry(each, exercises, files, taken))
    return Intake(
        Mapping(layout=name, entries=tuple(sorted(entries, key=lambda e: e.id)), problems=tuple(problems)), files
    )


def _entry(handed: Handed, exercises: Sequence[Exercise], files: dict[str, bytes], taken: set[str]) -> Entry:
    found = match(handed.nodes, exercises)
    files.update(found.contents)
    plain = _safe(handed.id)
    unique = plain
    number = 2
    while unique.casefold() in taken:
        unique, number = f"{plain}~{number}", number + 1
    taken.add(unique.casefold())
    problems = [*handed.problems, *found.problems]
    if unique != handed.id:
        why = "is taken" if plain == handed.id else "cannot be the name of a file"
        problems.insert(0, f"the id {handed.id[:MAX_ID]!r} {why}; this submission is {unique}")
    return Entry(
        id=unique,
        people=handed.people,
        submitted_at=handed.submitted_at,
        is_late=handed.is_late,
        files=tuple(found.files),
        problems=tuple(problems),
        ignored=tuple(found.ignored),
    )


def _safe(text: str) -> str:
    """Letters, digits and a few signs, as a name that every file system takes."""
    plain = re.sub(r"[^\w.@+-]+", "_", unicodedata.normalize("NFC", text)).strip("._") or "submission"
    while len(plain.encode()) > MAX_ID:
        plain = plain[:-1]
    return plain
