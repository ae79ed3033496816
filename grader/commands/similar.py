"""`similar`: files that are more alike than the class's are. A list for people; no grade depends on it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from grader.batch.books import columns_of
from grader.batch.folder import Folder
from grader.batch.impact_text import line
from grader.batch.similar import DEVIATIONS, FLOOR, LEAST_FILES, Handed, Pair, Similar, similar
from grader.commands.grade_tree import WIDTH
from grader.commands.impact import opened
from grader.errors import UsageError
from grader.exercise import SOLUTIONS, Exercise, choose, load_all

NO_VERDICT = (
    "A list for people to read, never a verdict: look at both files, and talk to people before you judge them."
    "\nHonest answers to one exercise resemble each other. No grade depends on this."
)


def run(root: Path, path: Path, names: Sequence[str]) -> int:
    """Compare the files of each exercise, and show what stands out; 0 whatever is found."""
    folder = opened(path)
    exercises = load_all(root)
    chosen = columns_of(folder.mapping(), exercises)
    known = [exercise.name for exercise in chosen]
    absent = [exercise.name for exercise in choose(exercises, names) if names and exercise.name not in known]
    if absent:
        raise UsageError(
            f"{path}: no file of {', '.join(absent)} in this batch; there are: {', '.join(known) or 'none'}"
        )
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(Text(NO_VERDICT, style="bold yellow"))
    for exercise in (e for e in chosen if not names or e.name in names):
        found = similar(exercise.name, exercise.file, handed(folder, exercise), staff(root, exercise))
        console.print(render(found))
    return 0


def handed(folder: Folder, exercise: Exercise) -> list[Handed]:
    """What was handed in for the exercise."""
    return [
        Handed(entry.id, frozenset(person.id for person in entry.people), _bytes(folder, file.content))
        for entry in folder.mapping().entries
        for file in entry.files
        if file.exercise == exercise.name
    ]


def _bytes(folder: Folder, content: str) -> bytes:
    try:
        return folder.file(content)
    except OSError as error:
        raise UsageError(
            f"{folder.path}/files/{content}: cannot be read: {error.strerror}; run the batch again"
        ) from None


def staff(root: Path, exercise: Exercise) -> list[tuple[str, bytes]]:
    """The stub, and the solution where there is one."""
    files = {"the stub": exercise.student_file, "the solution": root / SOLUTIONS / exercise.name / exercise.file}
    return [(name, file.read_bytes()) for name, file in files.items() if file.is_file()]


def render(found: Similar) -> RenderableType:
    """One exercise."""
    lines = [*_outliers(found), *_same(found)]
    return Group(Rule(found.exercise, align="left", style="dim"), Text(_how(found), style="dim"), *lines)


def _how(found: Similar) -> str:
    said = f"{found.files} different files compared in {found.pairs} pairs"
    if found.files < LEAST_FILES:
        return f"{said}: too few to say what is usual in this class (from {LEAST_FILES} on), so no pair is listed"
    rule = f"at least {found.threshold:.2f}: above {FLOOR} and above median + {DEVIATIONS} robust deviations"
    return f"{said}; scores: median {found.median:.2f}, robust deviation {found.spread:.2f}; listed are pairs of {rule}"


def _outliers(found: Similar) -> Iterator[Text]:
    if found.files >= LEAST_FILES and not found.outliers:
        yield Text("no pair stands out")
    for pair in found.outliers:
        yield Text(f"{pair.score:.2f}  {_side(pair, 0)}  and  {_side(pair, 1)}")


def _side(pair: Pair, side: int) -> str:
    names, lines = ((pair.first, pair.lines), (pair.second, pair.other_lines))[side]
    places = ", ".join(f"{first}–{last}" if last > first else str(first) for first, last in lines)
    return f"{', '.join(map(line, names))} (lines {places})"


def _same(found: Similar) -> Iterator[Text]:
    for entries in found.same:
        yield Text(f"the same bytes: {', '.join(map(line, entries))}")
    for name in dict.fromkeys(name for _, name in found.as_staff):
        entries = tuple(entry for entry, other in found.as_staff if other == name)
        yield Text(f"the bytes of {name}: {', '.join(map(line, entries))}")
    for why in dict.fromkeys(why for _, why in found.not_compared):
        left = [line(entry) for entry, other in found.not_compared if other == why]
        yield Text(f"not compared, {why}: {len(left)}: {', '.join(left)}", style="dim")
