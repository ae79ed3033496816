"""The kill matrix: each mechanism, what it must get, what it got, and at which level of the sandbox."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.boundary.sandbox import Level
from tests.corpus import header
from tests.corpus.header import Header
from tests.corpus.runner import Outcome, Runner, levels, planned

_WIDTH = 150
"""Characters of a line in a file; a terminal has its own."""


def main(arguments: Sequence[str]) -> int:
    """`[--device cuda] [--level LEVEL] [NAME…]`; 1 when a row is wrong, or nothing was run."""
    words = list(arguments)
    device, asked = _taken(words, "--device", "cpu"), _taken(words, "--level", "")
    headers = [h for h in header.corpus(header.EXPLOITS) if not words or any(word in h.path.name for word in words)]
    lacking = {Level(asked): ""} if asked else levels()
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    began = time.monotonic()
    outcomes: list[Outcome] = []
    skipped: list[tuple[str, str, str]] = []
    for level, rows in groupby(planned(headers, lacking, device), key=lambda row: row[0]):
        files = [file for _, file in rows]
        if lacking.get(level):
            skipped += [(file.path.name, level.value, lacking[level]) for file in files]
        else:
            outcomes += _run(level, device, files, console)
    skipped += [(h.path.name, "", "needs a GPU: --device cuda") for h in headers if h.device != device == "cpu"]
    skipped += [(name, "", "times a GPU: nox -s tests -- -m gpu") for name in _timing_cheats() if not words]
    console.print(_table(outcomes))
    _print_skipped(skipped, console)
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    for outcome in wrong:
        console.print(Text(f"{outcome.header.path.name} ({outcome.level}): {'; '.join(outcome.wrong)}", style="red"))
    killed = len(outcomes) - len(wrong)
    console.print(f"{killed} of {len(outcomes)} held, {len(skipped)} not run, {time.monotonic() - began:.0f} s")
    return 1 if wrong or not outcomes else 0


def _taken(words: list[str], option: str, default: str) -> str:
    if option not in words:
        return default
    at = words.index(option)
    value = words[at + 1]
    del words[at : at + 2]
    return value


def _run(level: Level, device: str, files: Iterable[Header], console: Console) -> list[Outcome]:
    outcomes = []
    with Runner(level, device) as runner:
        for file in files:
            with console.status(f"{level.value}: {file.path.name}"):
                outcomes.append(runner.run(file))
    return outcomes


def _table(outcomes: Iterable[Outcome]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("", "mechanism", "expected", "got", "level", "s"):
        table.add_column(column, justify="right" if column == "s" else "left", overflow="fold")
    for outcome in outcomes:
        mark, style = ("✗", "red") if outcome.wrong else ("✓", "green")
        row = (outcome.header.path.name, outcome.header.wanted, outcome.got, outcome.level, f"{outcome.seconds:.1f}")
        table.add_row(Text(mark, style=style), *map(Text, row))
    return table


def _print_skipped(skipped: Iterable[tuple[str, str, str]], console: Console) -> None:
    """Not run is not passed: each reason once, with its files."""
    ordered = sorted(skipped, key=lambda row: row[1:])
    for (level, reason), rows in groupby(ordered, key=lambda row: row[1:]):
        names = ", ".join(name for name, _, _ in rows)
        console.print(Text(f"· not run{f' at {level}' if level else ''}: {reason}\n    {names}", style="dim"))


def _timing_cheats() -> list[str]:
    """Files that cheat the clock of a GPU; `tests/gpu` times them."""
    return sorted(path.name for path in (header.TESTS / "timing/cheats").glob("*.py"))
