"""What a verdict depends on, but the file: read once at the start of a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from grader.batch.result import Conditions
from grader.exercise import Exercise
from grader.grade import Target, device_of, environment
from shared.cuda import compilers

_OURS = Path(__file__).resolve().parents[2]
_SOURCE = (".py", ".cpp", ".h", ".cu", ".yaml")


def conditions_of(exercise: Exercise, target: Target, isolation: str) -> Conditions:
    """The receipt of every verdict on this exercise on this machine.

    A CPU is like any other: what is judged on one, is judged alike on all of them. GPUs differ by their name.
    """
    device = device_of(target)
    return Conditions(
        exercise=exercise.name,
        tests=_digest(exercise.folder, (f for f in _files(exercise.folder) if f != exercise.student_file)),
        grader=_digest(_OURS, _source()),
        environment=environment(isolation),
        compilers=_compilers() if exercise.is_cuda else "",
        device=device.model_copy(update={"name": ""}) if device.kind == "cpu" else device,
        seed=target.seed,
    )


def _source() -> Iterable[Path]:
    for package in ("grader", "shared"):
        yield from (file for file in _files(_OURS / package) if file.suffix in _SOURCE)


def _files(folder: Path) -> Iterable[Path]:
    return (f for f in folder.rglob("*") if f.is_file() and "__pycache__" not in f.parts)


def _digest(base: Path, files: Iterable[Path]) -> str:
    """16 hexadecimal digits of these files' names and bytes."""
    found = hashlib.sha256()
    for file in sorted(files):
        data = file.read_bytes()
        found.update(f"{file.relative_to(base).as_posix()}\0{len(data)}\0".encode() + data)
    return found.hexdigest()[:16]


def _compilers() -> str:
    """The line with its version, of each compiler that takes part."""
    found = (compilers.find_cpu_compiler(), compilers.find_gpu_compiler())
    return "; ".join(_version(path) for path in found if path is not None)


def _version(compiler: str) -> str:
    lines = compilers.version(compiler).splitlines()
    return next((line.strip() for line in lines if re.search(r"\d\.\d", line)), "")
