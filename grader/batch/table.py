"""The mapping as a table: who, which files for which exercise, late, and what a TA should know."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.batch.mapping import Entry, Mapping
from grader.exercise import Exercise


def show(mapping: Mapping, exercises: Sequence[Exercise], console: Console) -> None:
    """Print it; every problem has its line."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    for heading in ("submission", "who", *(exercise.name for exercise in exercises), "late"):
        table.add_column(heading, overflow="fold")
    for entry in mapping.entries:
        table.add_row(*_cells(entry, exercises))
    console.print(table)
    for problem in mapping.problems:
        console.print(Text(f"! {problem}", style="yellow"), soft_wrap=True)
    for entry in mapping.entries:
        for problem in entry.problems:
            console.print(Text(f"! {entry.id}: {problem}", style="yellow"), soft_wrap=True)
        if entry.ignored:
            console.print(Text(f"· {entry.id}: not used: {', '.join(entry.ignored)}", style="dim"), soft_wrap=True)
    files = sum(len(entry.files) for entry in mapping.entries)
    what = f"layout {mapping.layout}: {len(mapping.entries)} submissions, {files} files"
    problems = len(mapping.problems) + sum(len(entry.problems) for entry in mapping.entries)
    console.print(Text(f"{what}, {problems} problems" if problems else what))


def _cells(entry: Entry, exercises: Sequence[Exercise]) -> list[Text]:
    sources = {file.exercise: file.source for file in entry.files}
    who = ", ".join(person.name or person.id for person in entry.people)
    late = {None: "", True: "late", False: ""}[entry.is_late]
    return [
        Text(entry.id),
        Text("" if who == entry.id else who),
        *(Text(sources.get(exercise.name, "–")) for exercise in exercises),
        Text(late, style="yellow"),
    ]
