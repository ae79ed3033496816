"""Gradescope's folders, closed to other users while submissions run.

Permissions are all that hides a file at the level `uid`: the hidden tests, the results (a student's prints are shown
before hidden cases are) and the metadata, which has other people's addresses and the results of earlier submissions.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def closed(*places: Path) -> Iterator[None]:
    """Take every right of others away from what is there, and give it back in the end."""
    before: dict[Path, int] = {}
    try:
        for place in places:
            if place.exists() and not place.is_symlink():
                mode = stat.S_IMODE(place.stat().st_mode)
                with contextlib.suppress(PermissionError):  # another one's; not as root, so not at the level `uid`
                    place.chmod(mode & 0o700)
                    before[place] = mode
        yield
    finally:
        for place, mode in before.items():
            with contextlib.suppress(FileNotFoundError):
                place.chmod(mode)
