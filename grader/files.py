"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write(file: Path, text: str | bytes) -> None:
    """Write a file whole or not at all; it is on the disk when this returns."""
    with _scratch(file, text) as scratch:
        scratch.replace(file)


def write_first(file: Path, text: str | bytes) -> None:
    """The same, unless somebody else, on whatever machine, was first: then theirs stays."""
    with _scratch(file, text) as scratch:
        try:
            file.hardlink_to(scratch)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            if not file.exists():
                scratch.replace(file)


@contextmanager
def _scratch(file: Path, text: str | bytes) -> Iterator[Path]:
    data = text.encode() if isinstance(text, str) else text
    scratch = file.with_name(f".{file.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with scratch.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield scratch
    finally:
        scratch.unlink(missing_ok=True)
