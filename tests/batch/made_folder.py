"""A batch's folder with made-up verdicts on the tests' own exercises, as `batch` leaves it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.batch.folder import Folder
from grader.batch.mapping import Entry, FileEntry, Intake
from grader.batch.result import Result
from grader.exercise import Exercise
from grader.judge import failed_to_judge, judge
from grader.loading import load_all
from grader.report import ExerciseReport
from tests.batch.classes import CONTENT
from tests.batch.made_up import WRONG, file, mapping, setting
from tests.batch.test_again import conditions

EXERCISES: Mapping[str, Exercise] = {exercise.name: exercise for exercise in load_all(CONTENT)}
NAMES = ("double", "triple")
"""Exercises of the batch: 5 and 3 points."""


def handed(content: str, *names: str) -> list[FileEntry]:
    """Files with this content for these exercises, for both without names."""
    return [file(name, content.encode()) for name in names or NAMES]


def verdict(name: str, content: str) -> ExerciseReport:
    """`right` has all points, `wrong` the first case alone, `ours` failed by our fault."""
    if content == "ours":
        return failed_to_judge(EXERCISES[name], "Traceback …")
    rest = EXERCISES[name].max_points - 2
    last = setting("test_last", rest) if content == "right" else setting("test_last", rest, WRONG)
    return judge(EXERCISES[name], [setting("test_first", 2), last], "cpu")


def keep(path: Path, entries: Sequence[Entry], contents: Sequence[str] = ("right", "wrong", "ours")) -> Path:
    """The folder; files with another content have no verdict yet."""
    folder = Folder(path)
    table = mapping(*entries).model_copy(update={"exercises": NAMES})
    files = {one.content: b"x" for entry in entries for one in entry.files}
    folder.keep(Intake(table, files))
    for name in NAMES:
        made = conditions(exercise=name)
        folder.note(made)
        for content in contents:
            one = file(name, content.encode()).content
            folder.put(Result(exercise=name, content=one, conditions=made.key, report=verdict(name, content)))
    return path


def run(command: str, *words: str | Path, root: Path = CONTENT) -> subprocess.CompletedProcess[str]:
    """The command line, as a TA has it."""
    full = [sys.executable, "-m", "grader", command, *map(str, words), "--root", str(root)]
    return subprocess.run(full, capture_output=True, text=True, timeout=60)
