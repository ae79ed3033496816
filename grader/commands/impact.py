"""`impact`: two batch folders, and what changes for whom from the one to the other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from grader.batch.books import bound
from grader.batch.folder import Folder
from grader.batch.impact import Side, impact
from grader.batch.impact_text import render
from grader.commands.grade_tree import WIDTH
from grader.errors import UsageError
from grader.exercise import Exercise, load_all
from grader.files import write


def run(root: Path, old: Path, new: Path, json_file: Path | None) -> int:
    """Compare, show, write; 0 whatever changes."""
    if json_file is not None and (json_file.is_dir() or not json_file.parent.is_dir()):
        raise UsageError(f"--json {json_file}: expected the name of a file in a folder that exists")
    if old.resolve() == new.resolve():
        raise UsageError(f"{new}: the same folder twice; copy the batch's folder before you grade again: cp -r OUT OLD")
    exercises = load_all(root)
    found = impact(side(old, exercises), side(new, exercises), exercises)
    if json_file is not None:
        write(json_file, found.model_dump_json(indent=1) + "\n")
    Console(width=None if sys.stdout.isatty() else WIDTH).print(render(found, str(old), str(new)))
    return 0


def opened(path: Path) -> Folder:
    """A batch's folder that is there; raises UsageError for any other."""
    if not (path / "batch.json").is_file():
        raise UsageError(f"{path}: no batch.json; expected a folder that `python -m grader batch … --out` has made")
    return Folder(path)


def side(path: Path, exercises: Sequence[Exercise]) -> Side:
    """One of the two, read."""
    folder = opened(path)
    book, mapping = bound(folder, exercises), folder.mapping()
    keys = {name: folder.current(name) for name in mapping.exercises}
    conditions = {name: folder.conditions(key) for name, key in keys.items() if key}
    return Side(book.book, book.reports, mapping, conditions)
