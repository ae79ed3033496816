"""`new`: a new exercise's two folders from a small working one; `check` passes before a line is changed."""

from __future__ import annotations

import importlib.util
import keyword
from pathlib import Path

from rich.console import Console

from grader.errors import UsageError
from grader.exercise import EXERCISES, METADATA, SOLUTIONS
from grader.submission import digest

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
PLACEHOLDER = "NAME"


def run(root: Path, name: str, cuda: bool) -> int:
    """Write both folders; refuse a name that is taken or is no identifier."""
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower():
        raise UsageError(f"{name!r} cannot be the name of an exercise: use lower_case_words")
    if importlib.util.find_spec(name) is not None:
        raise UsageError(f"{name!r} is the name of a Python package: a student's file of this name would hide it")
    template = TEMPLATES / ("cuda" if cuda else "python")
    targets = {"exercise": root / EXERCISES / name, "solution": root / SOLUTIONS / name}
    for target in targets.values():
        if target.exists():
            raise UsageError(f"{target} exists already")
    for part, target in targets.items():
        _copy(template / part, target, name)
    _fill_digest(targets["exercise"], name + (".cu" if cuda else ".py"))
    console = Console()
    for target in targets.values():
        console.print(f"wrote {target}")
    console.print(f"Change it piece by piece; `nox -s check -- {name}` holds it to the laws.")
    return 0


def _copy(source: Path, target: Path, name: str) -> None:
    for file in sorted(source.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            place = target / str(file.relative_to(source)).replace(PLACEHOLDER, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text(encoding="utf-8").replace(PLACEHOLDER, name)
            place.write_text(text, encoding="utf-8")


def _fill_digest(folder: Path, file: str) -> None:
    metadata = folder / METADATA
    found = digest(file, (folder / file).read_text(encoding="utf-8"))
    metadata.write_text(metadata.read_text(encoding="utf-8").replace("DIGEST", found), encoding="utf-8")
