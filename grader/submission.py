"""Collect one student's file: read it as bytes, refuse what is no source text, notice an unfilled stub.

Nothing of the file is executed here, and a file that cannot be graded is a finding, never an exception.
"""

from __future__ import annotations

import hashlib
import io
import tokenize
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.errors import UsageError
from grader.exercise import Exercise
from grader.records import Finding
from grader.status import Status
from shared.cuda import tokens

MAX_BYTES = 1_000_000
"""Larger files are refused: the solutions have a few kilobytes."""


@dataclass(frozen=True)
class Submission:
    """The text to grade, or the finding that says why there is none."""

    exercise: str
    path: Path
    text: str = ""
    finding: Finding | None = None


def find(exercises: Sequence[Exercise], tree: Path) -> list[Path]:
    """Each exercise's file in a tree: shaped like the repository, a folder per exercise, or all files in one folder.

    One folder around everything is looked through. Raises UsageError when no file of any exercise is there.
    """
    for base in (tree, *_only_folder(tree)):
        for shape in _SHAPES:
            paths = [base / shape.format(name=e.name, file=e.file) for e in exercises]
            if any(path.exists() or path.is_symlink() for path in paths):
                return paths
    wanted = ", ".join(f"{e.name}/{e.file}" for e in exercises[:3])
    raise UsageError(f"{tree}: no submission found; expected {wanted}" + (", …" if len(exercises) > 3 else ""))


_SHAPES = ("exercises/{name}/{file}", "solutions/{name}/{file}", "{name}/{file}", "{file}")


def _only_folder(tree: Path) -> list[Path]:
    folders = [p for p in tree.iterdir() if p.is_dir() and not p.name.startswith((".", "__"))]
    return folders if len(folders) == 1 else []


def unpack(archive: Path, exercises: Sequence[Exercise], folder: Path) -> Path:
    """Take the exercises' files out of a zip, whatever folders are around them; nothing else is unpacked."""
    try:
        with zipfile.ZipFile(archive) as opened:
            for exercise in exercises:
                for info in opened.infolist():
                    if PurePosixPath(info.filename).name == exercise.file and not info.filename.startswith("__MACOSX"):
                        target = folder / exercise.name / exercise.file
                        target.parent.mkdir(parents=True, exist_ok=True)
                        with opened.open(info) as member:
                            target.write_bytes(member.read(MAX_BYTES + 1))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise UsageError(f"{archive}: not a zip that can be read: {error}") from None
    return folder


def collect(exercise: Exercise, path: Path) -> Submission:
    """Read the file at `path`; a file with the stub's tokens, comments aside, is not attempted."""
    finding, text = _read(path)
    return _submission(exercise, path, finding, text)


def received(exercise: Exercise, data: bytes) -> Submission:
    """The same of a file whose bytes were read already."""
    finding, text = _too_large(exercise.file, len(data)), ""
    if finding is None:
        finding, text = _decode(exercise.file, data)
    return _submission(exercise, Path(exercise.file), finding, text)


def _submission(exercise: Exercise, path: Path, finding: Finding | None, text: str) -> Submission:
    if finding is None and digest(exercise.file, text) == exercise.stub_digest:
        finding = Finding(
            Status.NOT_ATTEMPTED,
            f"{exercise.file} is the unfilled stub",
            diagnosis=f"Fill in the places marked TODO in {exercise.file}.",
        )
    return Submission(exercise.name, path, text, finding)


def _read(path: Path) -> tuple[Finding | None, str]:
    """The finding that refuses the file, or its text."""
    if path.is_symlink():
        return _invalid(f"{path.name} is a link", "expected the file itself"), ""
    if not path.exists():
        return _invalid(f"{path.name} is missing", "expected the filled-in stub, under exactly this name"), ""
    if not path.is_file():
        return _invalid(f"{path.name} is not a file", "expected a text file of this name"), ""
    try:
        size = path.stat().st_size
        if (finding := _too_large(path.name, size)) is not None:
            return finding, ""
        data = path.read_bytes()
    except OSError as error:
        return _invalid(f"{path.name} cannot be read", str(error.strerror)), ""
    return _decode(path.name, data)


def _too_large(name: str, size: int) -> Finding | None:
    if size <= MAX_BYTES:
        return None
    return _invalid(f"{name} is too large", f"{size:,} bytes; at most {MAX_BYTES:,} are accepted")


def _decode(name: str, data: bytes) -> tuple[Finding | None, str]:
    if not data.strip():
        return _invalid(f"{name} is empty", "expected the filled-in stub"), ""
    if b"\0" in data:
        return _invalid(f"{name} is not a text file", "it holds zero bytes"), ""
    try:
        return None, data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        found = f"line {line} holds the byte {data[error.start]:#04x}; save the file as UTF-8"
        return _invalid(f"{name} is not UTF-8 text", found), ""


def _invalid(summary: str, diagnosis: str) -> Finding:
    return Finding(Status.INVALID_SUBMISSION, summary, diagnosis=diagnosis)


def digest(name: str, text: str) -> str:
    """16 hexadecimal digits of the file's tokens, the same whatever its comments and layout."""
    return hashlib.sha256("".join(_significant(name, text)).encode()).hexdigest()[:16]


_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def _significant(name: str, text: str) -> tuple[str, ...]:
    if name.endswith(".cu"):
        return tokens.code(text)
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return (text,)  # not Python: equal only to itself; the worker will say what is wrong
    return tuple(token.string for token in found if token.type not in _LAYOUT)
