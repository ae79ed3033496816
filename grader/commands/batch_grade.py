"""`batch`: a folder of submissions to a book of grades; run again it goes on where it was."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from grader.batch import lanes, table
from grader.batch.books import bound, write_all
from grader.batch.folder import Folder
from grader.batch.ingest import ingest
from grader.batch.lane import Orders
from grader.batch.mapping import Mapping
from grader.batch.progress import Board, showing
from grader.batch.work import chosen, items
from grader.errors import UsageError
from grader.exercise import Exercise, choose, load_all
from grader.grade import choose_device
from shared import machine

_LANE_GB = 3.0
"""Memory of one lane with its workers."""


def run(
    root: Path,
    submissions: Path | None,
    out: Path | None,
    names: Sequence[str],
    layout: str,
    pattern: str,
    roster: Path | None,
    device: str,
    jobs: int,
    only: str,
    again: bool,
    dry_run: bool,
    sandbox: bool,
    quiet: bool,
) -> int:
    """Ingest, show the table, grade what has no verdict, write the book; the exit code."""
    exercises = choose(load_all(root), names)
    console = Console(width=None if Console().is_terminal else 160)
    if submissions is None and (out is None or dry_run):
        raise UsageError(
            "name the folder or archive with the submissions; without one, --out names a batch to go on with"
        )
    if submissions is not None and out is not None and _is_inside(out, submissions):
        raise UsageError(f"--out {out}: lies inside the submissions; name a folder elsewhere")
    intake = ingest(submissions, exercises, layout, roster, pattern) if submissions is not None else None
    if dry_run:
        assert intake is not None
        table.show(intake.mapping, exercises, console)
        return 0
    if out is None:
        raise UsageError("--out is missing: the folder for results; or --dry-run for the table alone")
    folder = Folder(out)
    mapping = folder.keep(intake) if intake is not None else folder.mapping()
    if not quiet:
        table.show(mapping, exercises, console)
    board = _graded(
        folder, mapping, exercises, _orders(root, out, exercises, device, jobs, only, again, sandbox), quiet
    )
    return _written(folder, exercises, board, console)


def _graded(
    folder: Folder, mapping: Mapping, exercises: Sequence[Exercise], orders: Sequence[Orders], quiet: bool
) -> Board:
    work = items(chosen(mapping, orders[0].only), [e.name for e in exercises])
    if orders[0].only and not work:
        raise UsageError(
            f"--only {orders[0].only!r}: matches no submission with a file; it is compared with ids and names"
        )
    board = Board(len(work))
    with showing(board, quiet) as tell:
        while True:
            lanes.run(folder, exercises, orders[: max(1, len(work))], tell)
            if len(board.finished) == board.total:
                return board


def _written(folder: Folder, exercises: Sequence[Exercise], board: Board, console: Console) -> int:
    """The book, and what a TA has to look at."""
    book = bound(folder, exercises)
    write_all(folder, book)
    console.print(board.line(), highlight=False)
    flagged = [(row, grade) for row in book.rows for grade in row.grades if grade.flagged]
    for row, grade in flagged[:20]:
        console.print(f"look at {row.entry} {grade.exercise}: {grade.flagged}", highlight=False)
    if len(flagged) > 20:
        console.print(f"… and {len(flagged) - 20} more, all in book.json")
    console.print(f"{folder.path}: book.json, grades.csv", highlight=False)
    return 3 if any(row.grades and not row.is_finished for row in book.rows) else 0


def _orders(
    root: Path,
    out: Path,
    exercises: Sequence[Exercise],
    device: str,
    jobs: int,
    only: str,
    again: bool,
    sandbox: bool,
) -> list[Orders]:
    """One for each lane: as many as there are cores on a CPU; one for each GPU, since each times one at a time."""
    kind, index = choose_device(device)
    indices = [index]
    if kind == "cuda" and ":" not in device:
        indices = list(range(machine.cuda_device_count()))
    if kind == "cpu":
        most = max(1, int(machine.host_memory_gb() / _LANE_GB))
        indices = [0] * (jobs or min(os.cpu_count() or 1, most))
    elif jobs:
        indices = indices[:jobs]
    return [
        Orders(
            root=str(root.resolve()),
            out=str(out.resolve()),
            exercises=tuple(exercise.name for exercise in exercises),
            device=kind,
            device_index=each,
            only=only,
            again=again,
            part=(number, len(indices)),
            without_sandbox=not sandbox,
        )
        for number, each in enumerate(indices)
    ]


def _is_inside(path: Path, folder: Path) -> bool:
    return folder.is_dir() and folder.resolve() in (path.resolve(), *path.resolve().parents)
