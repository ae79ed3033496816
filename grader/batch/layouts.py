"""How LMSs hand out submissions: each layout turns a list of files into submissions, by names and metadata alone.

gradescope   `submission_metadata.yml` and a folder for each submission; a group is one submission of several people
canvas       flat files `name_late_USER_ATTACHMENT_file`: the user's number is the id
classroom    clones `ASSIGNMENT-submissions/ASSIGNMENT-USER/`
pattern      whatever a regular expression with a group `id` (and `name`, `email`, `late`) says of each path
folders      a folder for each student, an archive for each student, or both
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timezone
from typing import Any

import yaml

from grader.batch.mapping import Person
from grader.batch.tree import MAX_ARCHIVE_BYTES, Node, Unreadable, of_archive
from grader.errors import UsageError

METADATA = "submission_metadata.yml"
_CANVAS = re.compile(r"^(?P<name>[^/]+?)(?P<late>_late)?_(?P<user>\d+)_(?P<number>\d+)_(?P<rest>[^/]+)$", re.IGNORECASE)
_CLONES = re.compile(r"^(?P<assignment>.+)-submissions$")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a large class's yml takes seconds in Python


@dataclass
class Handed:
    """One submission as it lies there."""

    id: str
    people: tuple[Person, ...]
    nodes: list[Node] = field(default_factory=list)
    submitted_at: datetime | None = None
    is_late: bool | None = None
    problems: list[str] = field(default_factory=list)


Found = tuple[list[Handed], list[str]]
"""The submissions, and what is wrong with none of them in particular."""


def split(nodes: Sequence[Node], layout: str, pattern: str = "") -> tuple[str, Found]:
    """The layout's name, and its submissions; `auto` recognises it. Raises UsageError for one that does not fit."""
    inner = _without_wrapping(nodes)
    name = layout if layout != "auto" else "pattern" if pattern else _recognised(inner)
    if name == "pattern":
        return name, _by_pattern(nodes, pattern)
    if name not in LAYOUTS:
        raise UsageError(f"--layout {layout!r}: expected one of auto, pattern, {', '.join(LAYOUTS)}")
    return name, LAYOUTS[name](inner)


def _without_wrapping(nodes: Sequence[Node]) -> list[Node]:
    """Without folders, or an archive, that are around everything."""
    found = list(nodes)
    while True:
        if len(found) == 1 and found[0].is_archive and not found[0].problem:
            found = _opened(found[0])
        tops = {node.path.partition("/")[0] for node in found}
        inside = all("/" in node.path for node in found)
        below = [replace(node, path=node.path.partition("/")[2]) for node in found] if inside else []
        if len(tops) != 1 or not inside or _is_a_submission(below):
            return found
        found = below


def _is_a_submission(nodes: Sequence[Node]) -> bool:
    """Whether files of one student lie here, so that the folder around them is the student's."""
    loose = [node for node in nodes if "/" not in node.path]
    is_flat = bool(loose) and all(_CANVAS.match(node.name) for node in loose)
    has_metadata = any(node.path == METADATA for node in nodes)
    return bool(loose) and not is_flat and not has_metadata and not all(node.is_archive for node in loose)


def _opened(node: Node) -> list[Node]:
    try:
        return list(of_archive(node.name, node.read(MAX_ARCHIVE_BYTES)))
    except Unreadable as error:
        raise UsageError(f"{node.path} {error}") from None


def _recognised(nodes: Sequence[Node]) -> str:
    if any(node.path == METADATA for node in nodes):
        return "gradescope"
    loose = [node for node in nodes if "/" not in node.path]
    if loose and sum(bool(_CANVAS.match(node.name)) for node in loose) > len(loose) / 2:
        return "canvas"
    if any(_CLONES.match(node.path.partition("/")[0]) for node in nodes):
        return "classroom"
    return "folders"


def _add(handed: Handed, node: Node, path: str) -> None:
    """A file of the submission, by its path in there; the submission's own folder, where it is empty, is none."""
    if path:
        handed.nodes.append(replace(node, path=path))


# -- one function for each layout


def _folders(nodes: Sequence[Node]) -> Found:
    handed: dict[str, Handed] = {}
    problems: list[str] = []
    for node in nodes:
        top, slash, rest = node.path.partition("/")
        if slash:
            _add(handed.setdefault(top, Handed(top, (Person(id=top),))), node, rest)
        elif node.is_archive and not node.problem:
            stem = re.sub(r"(\.tar)?\.\w+$", "", node.name)
            handed.setdefault(stem, Handed(stem, (Person(id=stem),))).nodes.append(node)
        else:
            problems.append(f"{node.path or 'the archive'} {node.problem or 'belongs to no submission'}")
    return list(handed.values()), problems


def _canvas(nodes: Sequence[Node]) -> Found:
    handed: dict[str, Handed] = {}
    problems: list[str] = []
    for node in (n for n in nodes if not n.is_folder):
        found = _CANVAS.match(node.name) if "/" not in node.path else None
        if found is None:
            problems.append(f"{node.path} {node.problem or 'has no name as Canvas gives them'}")
            continue
        user = found["user"]
        entry = handed.setdefault(user, Handed(user, (Person(id=user, name=found["name"]),), is_late=False))
        entry.nodes.append(node)
        entry.is_late = bool(entry.is_late) or found["late"] is not None
    return list(handed.values()), problems


def _classroom(nodes: Sequence[Node]) -> Found:
    handed: dict[str, Handed] = {}
    problems: list[str] = []
    for node in nodes:
        top, _, rest = node.path.partition("/")
        clones = _CLONES.match(top)
        repository, slash, path = rest.partition("/")
        if clones is None or not slash:
            problems.append(f"{node.path} {node.problem or 'lies in no clone'}")
            continue
        user = repository.removeprefix(f"{clones['assignment']}-")
        _add(handed.setdefault(user, Handed(user, (Person(id=user),))), node, path)
    return list(handed.values()), problems


def _gradescope(nodes: Sequence[Node]) -> Found:
    records, problems = _records(next(node for node in nodes if node.path == METADATA))
    handed: dict[str, Handed] = {}
    for name, record in records.items():
        people = tuple(_person(each) for each in record.get(":submitters") or () if isinstance(each, dict))
        found = Handed(name, people or (Person(id=name),), submitted_at=_moment(record.get(":created_at")))
        if not people:
            found.problems.append("Gradescope names no submitter; its folder's name stands for the person")
        handed[name] = found
    for node in nodes:
        top, slash, rest = node.path.partition("/")
        if slash and top in handed:
            _add(handed[top], node, rest)
        elif node.path != METADATA:
            problems.append(f"{node.path} {node.problem or f'is not named in {METADATA}'}")
    return list(handed.values()), problems


def _records(node: Node) -> tuple[dict[str, dict[str, Any]], list[str]]:
    try:
        data = yaml.load(node.read(MAX_ARCHIVE_BYTES), Loader=_Loader)  # the safe loader
    except (Unreadable, yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{METADATA}: not readable: {str(error).splitlines()[0]}") from None
    if not isinstance(data, Mapping):
        raise UsageError(f"{METADATA}: expected a record for each folder, found {type(data).__name__}")
    good = {str(name): dict(record) for name, record in data.items() if isinstance(record, Mapping)}
    return good, [f"{METADATA}: {name}: expected a record" for name in data if str(name) not in good]


def _person(submitter: Mapping[str, Any]) -> Person:
    """By the student's number, else the address; a name is no identity."""
    sid, email, name = (str(submitter.get(key) or "") for key in (":sid", ":email", ":name"))
    return Person(id=sid or email or name or "unknown", name=name, email=email)


def _moment(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace(" UTC", "+00:00").replace("Z", "+00:00"))
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=timezone.utc)


LAYOUTS: dict[str, Callable[[Sequence[Node]], Found]] = {
    "gradescope": _gradescope,
    "canvas": _canvas,
    "classroom": _classroom,
    "folders": _folders,
}


def _by_pattern(nodes: Sequence[Node], pattern: str) -> Found:
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--pattern {pattern!r}: {error}") from None
    if "id" not in wanted.groupindex:
        raise UsageError(f"--pattern {pattern!r}: expected a group (?P<id>…) that names the submission")
    handed: dict[str, Handed] = {}
    problems: list[str] = []
    for node in (n for n in nodes if not n.is_folder):
        found = wanted.search(node.path)
        parts = found.groupdict() if found else {}
        if not parts.get("id"):
            problems.append(f"{node.path} {node.problem or 'does not match the pattern'}")
            continue
        person = Person(id=parts["id"], name=parts.get("name") or "", email=parts.get("email") or "")
        entry = handed.setdefault(person.id, Handed(person.id, (person,)))
        entry.nodes.append(node)
        if "late" in parts:
            entry.is_late = bool(entry.is_late) or bool(parts["late"])
    return list(handed.values()), problems
