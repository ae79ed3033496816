"""One timing at a time on a device: a lock *file*, so that it holds across processes and users of this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

_POLL_S = 1.0


def path(uuid: str) -> Path:
    """The lock file of a device, in the machine's own temporary folder: it must not lie on a shared disk."""
    return Path(tempfile.gettempdir()) / f"kernel-grader-{uuid}.lock"


@contextmanager
def exclusive(uuid: str, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the device; `waiting` is called once a second for as long as somebody else does."""
    lock = FileLock(path(uuid), mode=0o666)
    while True:
        try:
            lock.acquire(timeout=_POLL_S)
            break
        except Timeout:
            waiting()
    try:
        yield
    finally:
        lock.release()
