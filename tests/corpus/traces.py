"""What a submission may leave behind: processes, files of its own, changed files of others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.boundary.server import Server

_OPEN_TO_ALL = ("/tmp", "/var/tmp", "/dev/shm")
_PATIENCE_S = 1.0


@dataclass(frozen=True)
class Identity:
    """How the processes of one sandbox are told from all others, also after they have left its tree."""

    user: int | None
    namespace: str  # of process numbers; empty where it is the host's


def identity(server: Server) -> Identity:
    """Of a server that is running."""
    try:
        own = str(Path(f"/proc/{server.cell.worker}/ns/pid").readlink())
    except OSError:
        own = ""
    ours = str(Path("/proc/self/ns/pid").readlink())
    return Identity(server.cell.user.number if server.cell.user else None, "" if own == ours else own)


def processes(sandboxes: Iterable[Identity], others: Callable[[], set[int]]) -> list[str]:
    """Command lines of what still runs of sandboxes that have been ended.

    `others` are the processes of sandboxes that wait: the kernel gives numbers of namespaces, and we those of users, to
    the next one.
    """
    known = [each for each in sandboxes if each.user is not None or each.namespace]
    deadline = time.monotonic() + _PATIENCE_S
    while left := [found for each in known for found in _running(each, others())]:
        if time.monotonic() > deadline:
            return left
        time.sleep(0.05)
    return []


def _running(sandbox: Identity, others: set[int]) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        if int(folder.name) in others:
            continue
        try:
            is_same_user = folder.stat().st_uid == sandbox.user
            is_inside = sandbox.namespace != "" and str((folder / "ns/pid").readlink()) == sandbox.namespace
            if is_same_user or is_inside:
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in "ZX":
                    found.append((folder / "cmdline").read_text().replace("\0", " ") or folder.name)
        except OSError:
            continue  # gone, or not ours to see
    return found


def files(sandboxes: Iterable[Identity]) -> list[str]:
    """What users of ended sandboxes still own where everybody may write."""
    users = {each.user for each in sandboxes if each.user is not None}
    found = []
    for place in _OPEN_TO_ALL:
        for entry in os.scandir(place):
            try:
                if entry.stat(follow_symlinks=False).st_uid in users:
                    found.append(entry.path)
            except OSError:
                continue
    return found


def snapshot(folders: Iterable[Path]) -> dict[str, tuple[int, int, int]]:
    """Every file with size, time and mode; Python's own caches of compiled tests aside."""
    found = {}
    for folder in folders:
        for path in folder.rglob("*"):
            if path.name == "__pycache__" or "__pycache__" in path.parts:
                continue
            status = path.lstat()
            size = 0 if path.is_dir() else status.st_size
            found[str(path)] = (size, 0 if path.is_dir() else status.st_mtime_ns, status.st_mode)
    return found


def changed(before: dict[str, tuple[int, int, int]], after: dict[str, tuple[int, int, int]]) -> list[str]:
    """Paths that came, went or changed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
