"""`batch`: a folder of submissions in, a book of grades out; run again, it goes on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from grader.batch import lanes, plan, table
from grader.batch.again import compare
from grader.batch.bind import Results
from grader.batch.books import bound, columns_of
from grader.batch.class_view import page
from grader.batch.folder import Folder
from grader.batch.ingest import ingest
from grader.batch.lane import Orders
from grader.batch.late import load_policy
from grader.batch.mapping import Entry, Intake
from grader.batch.progress import Board, showing
from grader.batch.result import Result
from grader.batch.work import Item, chosen, is_done, items
from grader.commands.grade_tree import WIDTH
from grader.errors import UsageError
from grader.exercise import Exercise, choose, load_all
from grader.files import write
from grader.grade import choose_device
from shared import machine


@dataclass(frozen=True)
class Sources:
    """What was handed in, and how to read it."""

    submissions: Path | None  # None: what the folder knows from before
    exercises: tuple[str, ...] = ()  # empty: all of which anybody handed in a file
    layout: str = "auto"
    pattern: str = ""
    roster: Path | None = None
    late: Path | None = None


@dataclass(frozen=True)
class How:
    """How it is graded."""

    device: str = "auto"
    jobs: int | None = None
    only: str = ""
    again: bool = False
    quiet: bool = False
    without_sandbox: bool = False


def run(root: Path, out: Path, sources: Sources, how: How, dry_run: bool) -> int:
    """Read, show the table, grade what has no verdict yet, bind the book; the exit code."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    exercises = load_all(root)
    intake = _read(sources, exercises, out)
    if intake is not None:
        table.show(intake.mapping, columns_of(intake.mapping, exercises), console)
    if dry_run:
        return 0
    orders = _orders(root, out, how)
    policy = _policy(sources.late)
    folder = Folder(out)
    mapping = folder.keep(intake) if intake is not None else folder.mapping()
    if policy is not None:
        write(folder.policy, policy)
    entries = chosen(mapping, how.only)
    if not entries:
        raise UsageError(f"--only {how.only!r}: none of the {len(mapping.entries)} submissions matches")
    columns = columns_of(mapping, exercises)
    work = items(entries, [exercise.name for exercise in columns])
    before = _newest(folder) if how.again else {}
    _grade(folder, columns, work, orders, how.quiet)
    if how.again:
        _compare(folder, work, before, console)
    return _finish(folder, exercises, entries, work, console)


def _read(sources: Sources, exercises: Sequence[Exercise], out: Path) -> Intake | None:
    path = sources.submissions
    if path is None:
        return None
    if out.resolve().is_relative_to(path.resolve()):
        raise UsageError(f"--out {out}: lies among the submissions; name a folder outside of {path}")
    wanted = choose(exercises, sources.exercises)
    intake = ingest(path, wanted, sources.layout, sources.roster, sources.pattern)
    handed_in = {file.exercise for entry in intake.mapping.entries for file in entry.files}
    names = tuple(e.name for e in wanted if sources.exercises or e.name in handed_in)
    return replace(intake, mapping=intake.mapping.model_copy(update={"exercises": names}))


def _policy(file: Path | None) -> bytes | None:
    """The late policy's bytes, once it is known to be one."""
    if file is None:
        return None
    load_policy(file)
    return file.read_bytes()


def _orders(root: Path, out: Path, how: How) -> list[Orders]:
    kind, index = choose_device(how.device)
    names_one = ":" in how.device
    gpus = (1 if names_one else machine.cuda_device_count()) if kind == "cuda" else 0
    orders = Orders(
        root=str(root.resolve()),
        out=str(out.resolve()),
        exercises=(),
        device=kind,
        device_index=index,
        only=how.only,
        again=how.again,
        without_sandbox=how.without_sandbox,
    )
    return plan.lanes(orders, gpus, how.jobs, plan.cores(), plan.memory_bytes())


def _grade(
    folder: Folder, columns: Sequence[Exercise], work: Sequence[Item], orders: Sequence[Orders], quiet: bool
) -> None:
    names = tuple(exercise.name for exercise in columns)
    with showing(Board(len(work)), quiet) as take:
        lanes.run(folder, columns, [replace(each, exercises=names) for each in orders], take)


def _newest(folder: Folder) -> dict[tuple[str, str], Result]:
    """The last verdict on each file, by the exercise's name and the file's content."""
    return {(result.exercise, result.content): result for result in folder.results()}


def _compare(folder: Folder, work: Sequence[Item], before: Results, console: Console) -> None:
    """Say of each file whether it got the same verdict as the last time."""
    after = _newest(folder)
    for item in work:
        old, new = before.get((item.exercise, item.content)), after.get((item.exercise, item.content))
        if old is None or new is None:
            text = f"{item.exercise}: there was no verdict before" if old is None else f"{item.exercise}: no verdict"
        else:
            text = compare(old, new, folder.conditions(old.conditions), folder.conditions(new.conditions)).text
        console.print(f"{item.entry}: {text}", markup=False, highlight=False, soft_wrap=True)


def _finish(
    folder: Folder,
    exercises: Sequence[Exercise],
    entries: Sequence[Entry],
    work: Sequence[Item],
    console: Console,
) -> int:
    """Bind the book, say how it stands; 3 where the grader failed on a file of these submissions."""
    found = bound(folder, exercises)
    write(folder.path / "book.json", found.book.model_dump_json(indent=1) + "\n")
    write(folder.path / "grades.html", page(found.book, found.reports, folder.path.name))
    ids = {entry.id for entry in entries}
    missing = [
        f"{row.entry}: {grade.exercise}: {grade.flagged}"
        for row in found.book.rows
        for grade in row.grades
        if row.entry in ids and grade.is_open
    ]
    for line in missing:
        console.print(line, style="yellow", markup=False, soft_wrap=True)
    finished = sum(row.is_finished for row in found.book.rows)
    console.print(f"{folder.path}: {finished} of {len(found.book.rows)} people have all their grades; see grades.html")
    done = (folder.result(item.exercise, item.content, folder.current(item.exercise)) for item in work)
    return 0 if all(map(is_done, done)) else 3
