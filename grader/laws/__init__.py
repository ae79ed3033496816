"""The laws of the content: what must hold of every exercise before a student sees it.

Each law is a function that yields the problems it finds; `check` runs them all.

    folder.py       exactly the expected files; metadata, hints and README agree with each other; few points by counts
    comparisons.py  what the tests' comparisons accept: no impostor, no lower precision, but a correct variant
    verdicts.py     stub 0, solution everything, each rejected file the status that its folder names
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A broken law."""

    where: str  # a file or an exercise
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.where}: {self.found}; expected {self.expected}"


@dataclass(frozen=True)
class NotRun:
    """A law that this machine cannot test; never counted as kept."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"
