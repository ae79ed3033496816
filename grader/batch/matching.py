"""Which of a submission's files belongs to which exercise: by its name, as browsers and LMSs leave it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.batch.mapping import FileEntry, content_of
from grader.batch.tree import MAX_ARCHIVE_BYTES, Node, Unreadable, of_archive
from grader.exercise import HIDDEN_TESTS, METADATA, VISIBLE_TESTS, Exercise
from grader.submission import MAX_BYTES

_CANVAS = re.compile(r"^.+?(?:_late)?_\d+_(?P<number>\d+)_(?P<rest>.+)$", re.IGNORECASE)
_COPY = re.compile(r"(?: ?\((?P<number>\d+)\)|-(?P<again>\d{1,3})| ?[-–] ?copy| copy(?: \d+)?)$", re.IGNORECASE)
_STAFFS = frozenset(
    {
        *(path.rpartition("/")[2] for path in (VISIBLE_TESTS, HIDDEN_TESTS)),
        METADATA,
        "reference.py",
        "hints.yaml",
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "noxfile.py",
        "pytest.ini",
        "pyproject.toml",
    }
)
"""Names of files that only staff's copies are used of."""


@dataclass
class Matched:
    """What one submission has, as far as it was found."""

    files: list[FileEntry] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Candidate:
    node: Node
    data: bytes
    number: int  # of the upload, where the name has one: higher is newer


def match(nodes: Sequence[Node], exercises: Sequence[Exercise]) -> Matched:
    """The newest file for each exercise; archives are looked into, one level deep."""
    found = Matched()
    candidates: dict[str, list[_Candidate]] = {exercise.name: [] for exercise in exercises}
    for node in _opened(nodes, found):
        exercise, number = _exercise_of(node.name, exercises)
        if exercise is not None:
            _read(node, number, candidates[exercise.name], found)
        elif node.problem and not node.path.endswith("/"):
            found.problems.append(f"{node.path} {node.problem}")
        elif not node.problem and (node.name in _STAFFS or node.name.startswith("test_")):
            found.ignored.append(node.path)
    for exercise in exercises:
        if candidates[exercise.name]:
            _take(exercise, candidates[exercise.name], found)
    if not found.files and not found.problems:
        found.problems.append(_nothing(nodes))
    return found


def _opened(nodes: Sequence[Node], found: Matched) -> Iterator[Node]:
    """The files, and those in archives among them."""
    for node in nodes:
        if not node.is_archive or node.problem:
            yield node
            continue
        try:
            data = node.read(MAX_ARCHIVE_BYTES + 1)
        except Unreadable as error:
            found.problems.append(f"{node.path} {error}")
            continue
        if len(data) > MAX_ARCHIVE_BYTES:
            found.problems.append(f"{node.path} has more than {MAX_ARCHIVE_BYTES >> 20} MB and is not opened")
            continue
        yield from (_inside(inner, node.path) for inner in of_archive(node.name, data))


def _inside(node: Node, archive: str) -> Node:
    below = node.below(archive) if node.path else Node(archive, node.read, problem=node.problem)
    if node.is_archive and not node.problem:
        return Node(below.path, node.read, problem="is an archive within an archive and is not opened")
    return below


def _exercise_of(name: str, exercises: Sequence[Exercise]) -> tuple[Exercise | None, int]:
    """The exercise whose file has this name, apart from what was added to it, and the number that was."""
    number = 0
    canvas = _CANVAS.match(name)
    for wanted in (name, canvas["rest"] if canvas else ""):
        stem, dot, suffix = wanted.rpartition(".")
        copy = _COPY.search(stem)
        plain = stem[: copy.start()] if copy else stem
        if canvas and wanted != name:
            number = int(canvas["number"])
        elif copy:
            number = int(copy["number"] or copy["again"] or 0)
        for exercise in exercises:
            if exercise.file.lower() in (wanted.lower(), f"{plain}{dot}{suffix}".lower()):
                return exercise, number
    return None, 0


def _read(node: Node, number: int, into: list[_Candidate], found: Matched) -> None:
    if node.problem:
        found.problems.append(f"{node.path} {node.problem}")
        return
    try:
        into.append(_Candidate(node, node.read(MAX_BYTES + 1), number))
    except Unreadable as error:
        found.problems.append(f"{node.path} {error}")


def _take(exercise: Exercise, candidates: list[_Candidate], found: Matched) -> None:
    newest = max(candidates, key=lambda c: (c.number, c.node.modified, c.node.path))
    others = [c.node.path for c in candidates if c.data != newest.data]
    if others:
        found.problems.append(f"{exercise.file}: {newest.node.path} is the newest; not used: {', '.join(others)}")
    content = content_of(newest.data)
    found.contents[content] = newest.data
    entry = FileEntry(exercise=exercise.name, source=newest.node.path, content=content, size=len(newest.data))
    found.files.append(entry)


def _nothing(nodes: Sequence[Node]) -> str:
    names = [node.path for node in nodes if not node.is_folder]
    if not names:
        return "nothing was handed in"
    return f"no file of an exercise; there is {', '.join(names[:3])}" + (", …" if len(names) > 3 else "")
