"""What the leading comment of a file says of it: its first line, then fields.

Source:    where the mechanism was published, or which channel of this grader it is about
Expected:  statuses, any of which catches it (`incorrect | crashed`), or `harmless`
Worth:     `none`, `all`, or a number: the points that its honest part deserves (default: none)
Against:   `verdict`, what is judged at every level, or `sandbox`, what the level has to hold
Exercise:  the exercise that it is handed in for (default: by the file's suffix)
Device:    `cpu` or `cuda`
After:     a file that is graded right before it, as another submission
Next:      `yes` where a known-good submission has to be graded right after it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from grader.status import Status

TESTS = Path(__file__).parents[1]
EXPLOITS, HONEST = TESTS / "exploits", TESTS / "honest"
_FIELD = re.compile(r"^[ \t/*]*(Source|Expected|Worth|Against|Exercise|Device|After|Next):[ \t]*(.+?)[ \t]*$", re.M)
_LEADING = re.compile(r'\s*(?:r?"""(.*?)"""|/\*(.*?)\*/)', re.S)
_EXERCISE = {".py": "double", ".cu": "double_cuda"}


@dataclass(frozen=True)
class Header:
    """One file of the corpus."""

    path: Path
    mechanism: str
    source: str
    expected: tuple[Status, ...]  # empty: harmless, whatever the status
    worth: int | None  # points; None is all of them
    against: str
    exercise: str
    device: str
    after: Path | None
    attacks_next: bool

    @property
    def wanted(self) -> str:
        return " | ".join(status.value for status in self.expected) or "harmless"


def read(path: Path) -> Header:
    """Raise ValueError for a file without a proper header."""
    found = _LEADING.match(path.read_text(encoding="utf-8"))
    text = (found[1] or found[2] or "") if found else ""
    fields = dict(_FIELD.findall(text))
    honest = path.parent == HONEST
    wanted = "passed" if honest else fields.get("Expected", "")
    worth = "all" if honest else fields.get("Worth", "none")
    if not wanted or not (honest or fields.get("Source")):
        raise ValueError(f"{path.name}: the leading comment lacks Expected or Source")
    return Header(
        path=path,
        mechanism=next((line.strip(" */") for line in text.splitlines() if line.strip(" */")), path.stem),
        source=fields.get("Source", ""),
        expected=() if wanted == "harmless" else tuple(Status(word.strip()) for word in wanted.split("|")),
        worth={"none": 0, "all": None}.get(worth, int(worth) if worth.isdigit() else 0),
        against=fields.get("Against", "verdict"),
        exercise=fields.get("Exercise", _EXERCISE[path.suffix]),
        device=fields.get("Device", "cpu"),
        after=path.parent / fields["After"] if "After" in fields else None,
        attacks_next=fields.get("Next") == "yes",
    )


def corpus(folder: Path) -> list[Header]:
    """Every file of a folder, in the order of the names; names that begin with `_` are the folder's own."""
    files = [*folder.glob("[!_]*.py"), *folder.glob("[!_]*.cu")]
    return [read(path) for path in sorted(files)]
