"""`package --to gradescope`: the zip that Gradescope builds an autograder's image from.

It holds the grader and the exercises with their hidden tests, no solutions, and a seed of its own. Files lie at the
root of the zip, as Gradescope wants them; the course is a folder, readable by root alone.
"""

from __future__ import annotations

import secrets
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from grader.commands.release_bundle import members
from grader.errors import UsageError
from grader.exercise import HIDDEN_TESTS, Exercise, choose, load_all

TARGETS = ("gradescope",)
TEMPLATES = Path(__file__).resolve().parent.parent / "templates/gradescope"
COURSE = "course"
SEED = "seed"
"""The file in the course's folder that holds the seed of every submission's inputs."""
_EXECUTABLE, _PLAIN = 0o755, 0o644


def run(root: Path, names: Sequence[str], to: str, output: Path) -> int:
    """Write the zip; the exit code."""
    if to not in TARGETS:
        raise UsageError(f"--to {to!r}: expected {' or '.join(TARGETS)}")
    if output.suffix != ".zip" or output.is_dir() or not output.parent.is_dir():
        raise UsageError(f"--output {output}: expected a name that ends with .zip, in a folder that exists")
    exercises = choose(load_all(root), names)
    scratch = output.with_name(f".{output.name}.part")
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data, mode in _contents(root, exercises):
                info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
                info.external_attr = mode << 16
                archive.writestr(info, data, zipfile.ZIP_DEFLATED)
        scratch.replace(output)
    finally:
        scratch.unlink(missing_ok=True)
    console = Console()
    console.print(f"{output}: {len(exercises)} exercises with hidden tests, for Gradescope; keep it among staff")
    console.print("Upload it under Configure Autograder; choose at least 2 CPUs and 3 GB of memory, and Ubuntu 22.04.")
    return 0


def _contents(root: Path, exercises: Sequence[Exercise]) -> Iterator[tuple[str, bytes, int]]:
    """(name in the zip, bytes, mode) of each file."""
    for file in sorted(TEMPLATES.iterdir()):
        yield file.name, file.read_bytes(), _EXECUTABLE
    for source in members(root, exercises):
        yield f"{COURSE}/{source.relative_to(root).as_posix()}", source.read_bytes(), _PLAIN
    for exercise in exercises:
        if exercise.has_hidden_tests:
            hidden = exercise.folder / HIDDEN_TESTS
            yield f"{COURSE}/{hidden.relative_to(root.resolve()).as_posix()}", hidden.read_bytes(), _PLAIN
    yield f"{COURSE}/{SEED}", f"{secrets.randbits(31)}\n".encode(), _PLAIN
