"""Synthetic classes: each student hands in solutions, wrong solutions, exploits, stubs or nothing, as students do.

`python -m tests.batch.generator FOLDER --students 300` writes one to look at.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

from grader.exercise import SOLUTIONS, Exercise, load_all

ROOT = Path(__file__).parents[2]
EXPLOITS = ROOT / "tests/exploits"
CLEAN_MACHINE = {"fork_bomb", "disk_filled", "inodes_filled", "memory_bomb_shared"}
"""Exploits of resources: a class has a few of these, not one in ten."""


def make_class(folder: Path, exercises: Sequence[Exercise], students: int, seed: int = 0) -> None:
    """A folder for each student, with loose files or an archive in it."""
    draw = random.Random(seed)
    for number in range(students):
        files = {e.file: text for e in exercises if (text := _file(e, number, draw)) is not None}
        place = folder / f"student_{number:04}"
        place.mkdir(parents=True)
        _hand_in(place, files, draw)


def _file(exercise: Exercise, number: int, draw: random.Random) -> str | None:
    """What one student hands in for one exercise; a comment makes most files different from each other."""
    kind = draw.choices(("solution", "rejected", "exploit", "stub", "nothing"), (40, 40, 8, 8, 4))[0]
    mark = ("//" if exercise.is_cuda else "#") + f" student {number}\n"
    if kind == "nothing":
        return None
    if kind == "stub":
        return exercise.student_file.read_text(encoding="utf-8")
    if kind == "exploit" and not exercise.is_cuda:
        return _exploit(exercise, draw) + mark
    folder = ROOT / SOLUTIONS / exercise.name
    if kind == "solution":
        return (folder / exercise.file).read_text(encoding="utf-8") + mark
    rejected = sorted(folder.glob(f"rejected/*/*{exercise.student_file.suffix}"))
    return draw.choice(rejected).read_text(encoding="utf-8") + mark


def _exploit(exercise: Exercise, draw: random.Random) -> str:
    """A known attack, in the function that is asked for here."""
    known = sorted(path for path in EXPLOITS.glob("*.py") if not path.stem.startswith("_"))
    text = draw.choice([p for p in known if p.stem not in CLEAN_MACHINE]).read_text(encoding="utf-8")
    return re.sub(r"\bdouble\b", exercise.entries[0].name, text)


def _hand_in(place: Path, files: dict[str, str], draw: random.Random) -> None:
    """Loose files, a zip, a zip with a folder around it, or something that cannot be opened."""
    shape = draw.choices(("loose", "zip", "wrapped", "truncated", "noise"), (60, 20, 10, 3, 7))[0]
    if shape in ("loose", "noise"):
        for name, text in files.items():
            (place / name).write_text(text, encoding="utf-8")
        if shape == "noise":
            (place / ".DS_Store").write_bytes(b"\0" * 64)
            (place / "conftest.py").write_text("raise SystemExit\n")
            (place / "__MACOSX").mkdir()
        return
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"answers/{name}" if shape == "wrapped" else name, text)
    whole = data.getvalue()
    (place / "answers.zip").write_bytes(whole[: len(whole) // 2] if shape == "truncated" else whole)


def main() -> None:
    """Write a class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    make_class(given.folder, load_all(ROOT), given.students, given.seed)


if __name__ == "__main__":
    main()
