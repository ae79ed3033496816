"""What a TA sees while a batch runs: a bar with the time that is left, who is being graded, and how many got what.

Where stderr is no terminal it is a line twice a minute, and with `--quiet` nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from grader.batch.lanes import Event

_LINE_S = 30.0
_FINISHED = ("done", "ours", "known")


class Board:
    """What is known of a run, from its events. Each file counts once, whoever has graded it."""

    def __init__(self, total: int) -> None:
        """`total` files are to have a verdict at the end."""
        self.total = total
        self.finished: set[tuple[str, str]] = set()
        self.statuses: Counter[str] = Counter()
        self.running: dict[int, str] = {}

    def take(self, event: Event) -> None:
        """Count it."""
        if event.what == "started" and event.item is not None:
            self.running[event.lane] = f"{event.item.entry} {event.item.exercise}"
        else:
            self.running.pop(event.lane, None)
        if event.item is not None and event.what in _FINISHED:
            key = (event.item.exercise, event.item.content)
            if key not in self.finished:
                self.statuses[event.status or "graded before"] += 1
            self.finished.add(key)

    def line(self) -> str:
        """How many there are of each status."""
        counts = ", ".join(f"{number} {status}" for status, number in sorted(self.statuses.items()))
        return f"{len(self.finished)} of {self.total} graded" + (f": {counts}" if counts else "")

    def at_work(self) -> str:
        """Who is being graded."""
        return "now: " + (", ".join(self.running[lane] for lane in sorted(self.running)) or "starting …")


@contextmanager
def showing(board: Board, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """Takes events, and shows the board."""
    console = Console(stderr=True)
    if quiet:
        yield board.take
    elif console.is_terminal:
        yield from _live(board, console)
    else:
        yield from _in_lines(board, console)


def _live(board: Board, console: Console) -> Iterator[Callable[[Event], None]]:
    bar = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    task = bar.add_task("", total=board.total)
    with Live(bar, console=console, refresh_per_second=4) as live:

        def take(event: Event) -> None:
            board.take(event)
            bar.update(task, completed=len(board.finished))
            live.update(Group(bar, Text(board.line()), Text(board.at_work(), style="dim")))

        yield take


def _in_lines(board: Board, console: Console) -> Iterator[Callable[[Event], None]]:
    begun = shown = time.monotonic()

    def show() -> None:
        nonlocal shown
        shown = time.monotonic()
        console.print(f"{shown - begun:5.0f} s: {board.line()}", highlight=False, markup=False, soft_wrap=True)

    def take(event: Event) -> None:
        board.take(event)
        if time.monotonic() > shown + _LINE_S:
            show()

    show()
    yield take
    show()
