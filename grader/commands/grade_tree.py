"""`grade`: the working tree, or another of the same shape, to a report on the terminal and in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from grader import terminal
from grader.errors import UsageError
from grader.exercise import choose, load_all
from grader.grade import Progress, Target, choose_device, grade, submission_path
from grader.report import Report


def run(
    root: Path,
    names: Sequence[str],
    tree: Path,
    device: str,
    json_file: Path | None,
    seed: int,
    strict: bool,
) -> int:
    """Grade, show, write; the exit code."""
    if not tree.is_dir():
        raise UsageError(f"--from {tree}: there is no such folder")
    if json_file is not None and not json_file.parent.is_dir():
        raise UsageError(f"--json {json_file}: the folder {json_file.parent} does not exist")
    kind, index = choose_device(device)
    exercises = choose(load_all(root), names)
    paths = [submission_path(exercise, tree) for exercise in exercises]
    with showing_progress() as progress:
        report = grade(exercises, paths, Target(kind, index, seed), progress)
    terminal.show(report, Console())
    if json_file is not None:
        json_file.write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")
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
