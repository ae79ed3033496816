"""`override`: what a TA decides by hand, with a reason; it is kept through every regrade."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from filelock import FileLock
from rich.console import Console

from grader.batch.book import Override
from grader.batch.books import columns_of
from grader.batch.folder import opened
from grader.batch.overrides import checked, load_overrides, removed, replaced, save_overrides
from grader.errors import UsageError
from grader.loading import load_all


@dataclass(frozen=True)
class Asked:
    """What the TA asked for."""

    entry: str
    exercise: str
    points: float | None
    reason: str = ""
    by: str = ""


def run(root: Path, out: Path, asked: Asked, bonus: bool, remove: bool) -> int:
    """Store the override, or remove the one that there is; the exit code."""
    mapping = opened(out).mapping()
    override = None if remove else checked(_made(asked), mapping, columns_of(mapping, load_all(root)), bonus)
    with FileLock(out / "claims/overrides.lock", mode=0o666):  # two TAs may decide at the same time
        before = load_overrides(out)
        after = removed(before, asked.entry, asked.exercise) if override is None else replaced(before, override)
        save_overrides(out, after)
    old = next((o for o in before if (o.entry, o.exercise) == (asked.entry, asked.exercise)), None)
    line = f"{asked.entry}, {asked.exercise}: {_told(old)} → {_told(override)}"
    Console().print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def _told(override: Override | None) -> str:
    return f"{override.points:g} by hand ({override.reason})" if override else "the grader's points"


def _made(asked: Asked) -> Override:
    if asked.points is None:
        raise UsageError("--points: expected the points that count from now on, or --remove")
    return Override(
        entry=asked.entry,
        exercise=asked.exercise,
        points=asked.points,
        reason=asked.reason,
        by=asked.by,
        at=datetime.now(timezone.utc).replace(microsecond=0),
    )
