"""`grade`: the working tree, or another of the same shape, to a report on the terminal and in a file."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from grader import terminal
from grader.errors import UsageError
from grader.exercise import choose, load_all
from grader.files import write
from grader.grade import Progress, Target, choose_device, grade
from grader.report import Report
from grader.submission import find, unpack

WIDTH = 120
"""Columns where the output is no terminal."""


def run(
    root: Path,
    names: Sequence[str],
    tree: Path,
    device: str,
    json_file: Path | None,
    seed: int,
    strict: bool,
    compare: bool = False,
) -> int:
    """Grade, show, write; the exit code."""
    if (not tree.is_dir() and tree.suffix != ".zip") or not tree.exists():
        raise UsageError(f"--from {tree}: there is no such folder or zip")
    if json_file is not None and (json_file.is_dir() or not json_file.parent.is_dir()):
        raise UsageError(f"--json {json_file}: expected the name of a file in a folder that exists")
    kind, index = choose_device(device)
    exercises = choose(load_all(root), names)
    with tempfile.TemporaryDirectory() as scratch, showing_progress() as progress:
        folder = unpack(tree, exercises, Path(scratch)) if tree.is_file() else tree
        report = grade(exercises, find(exercises, folder), Target(kind, index, seed, compare), progress)
    terminal.show(report, Console(width=None if sys.stdout.isatty() else WIDTH))
    if json_file is not None:
        write(json_file, report.model_dump_json(indent=2) + "\n")
    return exit_code(report, strict)


def exit_code(report: Report, strict: bool) -> int:
    """3 for our own fault, 1 when `strict` and something failed, 0 otherwise."""
    if report.grader_failed:
        return 3
    return 1 if strict and not report.passed else 0


@contextmanager
def showing_progress() -> Iterator[Progress]:
    """A status line on stderr while work goes on; silent where stderr is no terminal."""
    console = Console(stderr=True)
    with console.status("starting …") as status:
        yield lambda exercise, case: status.update(f"{exercise}  {case}")
