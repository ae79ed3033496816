"""A folder of an export: made new or written again, and never mixed with files of somebody else.

A mark in it lists the files that are ours. So a later export can take away those that are not written any more, such as
the grade of somebody who is open again, and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.errors import UsageError
from grader.files import write

MARK = ".export.json"
_LONGEST = 80  # bytes
_OTHERS = re.compile(r"[^\w.@+~-]+")


class _Mark(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    files: tuple[str, ...]


def names(ids: Iterable[str], suffix: str) -> dict[str, str]:
    """A file's name for each id, safe on every file system; two ids never share one, also where case is nothing."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for one in ids:
        plain = _OTHERS.sub("_", one).rstrip(".").lstrip("._-").encode()[:_LONGEST].decode(errors="ignore")
        if not plain or plain != one or plain.casefold() in taken:
            plain = f"{plain or 'nameless'}={hashlib.sha256(one.encode('utf-8', 'replace')).hexdigest()[:8]}"
        taken.add(plain.casefold())
        found[one] = f"{plain}{suffix}"
    return found


def write_all(folder: Path, kind: str, files: Mapping[str, str]) -> tuple[str, ...]:
    """Write these files and no others; the names of those taken away. Raises UsageError for another's folder."""
    ours = checked(folder, kind)
    folder.mkdir(parents=True, exist_ok=True)
    _mark(folder, kind, {*ours, *files})  # killed from here on, the folder is still known to be ours
    for name, text in files.items():
        write(folder / name, text)
    gone = tuple(sorted(name for name in ours if name not in files and (folder / name).is_file()))
    for name in gone:
        (folder / name).unlink()
    _mark(folder, kind, set(files))
    return gone


def checked(folder: Path, kind: str) -> tuple[str, ...]:
    """The files in it that are ours; raises UsageError for a folder that holds anything else."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: expected a folder, found a file; name another with --output")
    if not folder.is_dir():
        return ()
    mark = _read(folder / MARK)
    if mark is not None and mark.format != kind:
        raise UsageError(f"{folder}: holds an export to {mark.format}; name another folder with --output")
    ours = mark.files if mark is not None else ()
    others = sorted(p.name for p in folder.iterdir() if not p.name.startswith(".") and p.name not in ours)
    if others:
        shown = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
        raise UsageError(f"{folder}: holds {shown}, which no export wrote; name a new folder with --output")
    return ours


def _read(file: Path) -> _Mark | None:
    try:
        mark = _Mark.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise UsageError(f"{file}: cannot be read: {str(error).splitlines()[0]}; name a new folder") from None
    if any(Path(name).name != name or name in ("", "..") for name in mark.files):
        raise UsageError(f"{file}: names files of other folders; name a new folder")
    return mark


def _mark(folder: Path, kind: str, files: set[str]) -> None:
    write(folder / MARK, _Mark(format=kind, files=tuple(sorted(files))).model_dump_json(indent=1) + "\n")
