"""`hint`: one more hint each time, from the concept to the place to what must hold."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from grader.errors import UsageError
from grader.hints import LEVELS, load_hints
from grader.loading import choose, load_all

SHOWN = ".hints.json"
"""How many hints of each exercise were shown; in the working tree, ignored by git."""


def run(root: Path, name: str, level: int | None) -> int:
    """Show the hint of this level, or the one after the last that was shown."""
    exercise = choose(load_all(root), [name])[0]
    hints = load_hints(exercise.folder)
    if level is not None and not 1 <= level <= len(LEVELS):
        raise UsageError(f"--level {level}: expected 1 to {len(LEVELS)}")
    shown = _read(root / SHOWN)
    number = level or min(shown.get(name, 0) + 1, len(LEVELS))
    shown[name] = max(number, shown.get(name, 0))
    (root / SHOWN).write_text(json.dumps(shown) + "\n", encoding="utf-8")
    heading = LEVELS[number - 1]
    console = Console()
    console.print(Markdown(f"**{heading}** ({number} of {len(LEVELS)})\n\n{hints[heading]}"))
    return 0


def _read(file: Path) -> dict[str, int]:
    """What was shown so far; a damaged file counts as none."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): v for k, v in data.items() if type(v) is int} if isinstance(data, dict) else {}
