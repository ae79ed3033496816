"""One student's or group's files, in whatever folders or zip they lie, as a table of one submission."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.mapping import Entry, Intake, Mapping
from grader.batch.matching import match
from grader.batch.tree import nodes
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.gradescope import metadata

SUBMISSION = "submission"
_MOST_SAID, _MOST_CHARACTERS = 6, 300


@dataclass(frozen=True)
class HandedIn:
    """The table with its bytes, and what the student has to know of the files."""

    intake: Intake
    message: str

    @property
    def entry(self) -> Entry:
        """The submission."""
        return self.intake.mapping.entries[0]


def read(base: Path, exercises: Sequence[Exercise], known: Collection[str] = ()) -> HandedIn:
    """Read `base`/submission; nothing of it is executed. Raises UsageError where there is no such folder."""
    folder = base / SUBMISSION
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder; expected Gradescope's, with what was handed in")
    said = metadata.read(base / metadata.FILE, known)
    found = match(nodes(folder), exercises)
    entry = Entry(
        id=said.id or SUBMISSION,
        people=said.people,
        submitted_at=said.submitted_at,
        is_late=said.is_late,
        files=tuple(found.files),
        problems=(*said.problems, *found.problems),
        ignored=tuple(found.ignored),
    )
    names = tuple(exercise.name for exercise in exercises)
    mapping = Mapping(layout="gradescope", exercises=names, entries=(entry,))
    return HandedIn(Intake(mapping, found.contents), message(found.problems, exercises, bool(found.files)))


def message(problems: Sequence[str], exercises: Sequence[Exercise], has_files: bool) -> str:
    """For the student to read first; bounded, since names of files are the student's."""
    lines = [problem[:_MOST_CHARACTERS] for problem in problems[:_MOST_SAID]]
    if len(problems) > _MOST_SAID:
        lines.append(f"… and {len(problems) - _MOST_SAID} more of the kind")
    if not has_files:
        expected = ", ".join(exercise.file for exercise in exercises)
        lines.insert(0, "No file of this assignment was found, so nothing was run.")
        lines.append(f"Expected: {expected}, with exactly these names, loose, in folders or in one zip. Hand in again.")
    return "\n".join(lines)
