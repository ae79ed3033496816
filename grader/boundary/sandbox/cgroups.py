"""Walls around the memory and the number of processes of one sandbox, where the host lets us make any.

Version 1 and version 2 of control groups; a grader without the right to either goes on with the watchdog of
`boundary/session.py` alone. The wall is coarse and for the machine's sake: the watchdog speaks to the student.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_MOUNTS = Path("/sys/fs/cgroup")
_CONTROLLERS = ("memory", "pids")
_count = itertools.count()


@dataclass(frozen=True)
class Parents:
    """Folders in which a group can be made: one for both controllers (version 2), or one for each (version 1)."""

    version: int
    folders: tuple[Path, ...]


@dataclass(frozen=True)
class Group:
    """One sandbox's group."""

    version: int
    folders: tuple[Path, ...]

    def enter(self, pids: Iterable[int]) -> None:
        """Put processes in, with all that they start from now on."""
        for pid, folder in itertools.product(pids, self.folders):
            (folder / "cgroup.procs").write_text(str(pid))

    def was_out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of this group for its memory."""
        events = "memory.events" if self.version == 2 else "memory.oom_control"
        with contextlib.suppress(OSError):
            rows = [row.split() for row in (self.folders[0] / events).read_text().splitlines()]
            return any(row[0] == "oom_kill" and row[1] != "0" for row in rows)
        return False

    def remove(self) -> None:
        """Give it back; its processes have been ended, and are gone in a moment."""
        for folder in self.folders:
            for _ in range(50):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.002)


def around(pids: Iterable[int], memory_bytes: int, processes: int) -> Group | None:
    """A new group around running processes, for what they use from now on; None where none can be made.

    What they have used before is counted where it was used. Moving a process takes milliseconds, which is why it is
    not done while a worker starts but when it is taken.
    """
    parents = _parents()
    if parents is None:
        return None
    name = f"kernel-grader-{os.getpid()}-{next(_count)}"
    group = Group(parents.version, tuple(parent / name for parent in parents.folders))
    try:
        for folder in group.folders:
            folder.mkdir()
        bound = "memory.max" if group.version == 2 else "memory.limit_in_bytes"
        (group.folders[0] / bound).write_text(str(memory_bytes))
        (group.folders[-1] / "pids.max").write_text(str(processes))
        group.enter(pids)
    except OSError:
        group.remove()
        return None
    return group


@functools.cache
def _parents() -> Parents | None:
    """Where groups can be made: tried once with a real one, which a process really enters."""
    for parents in (_version_1(_MOUNTS, _own_paths()), *_version_2(_MOUNTS, _own_paths())):
        if parents is not None and _works(parents):
            _remove_stale(parents)
            return parents
    return None


def _remove_stale(parents: Parents) -> None:
    """Groups of graders that were killed: only empty ones can be removed."""
    for old in (group for folder in parents.folders for group in folder.glob("kernel-grader-*-*")):
        if not Path("/proc", old.name.split("-")[2]).exists():
            with contextlib.suppress(OSError):
                old.rmdir()


def available() -> str:
    """For people: `cgroup v2`, or empty where there is only the watchdog."""
    parents = _parents()
    return f"cgroup v{parents.version}" if parents else ""


def _own_paths() -> dict[str, str]:
    """The path of this process in each hierarchy; the name of version 2 is empty."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            found |= dict.fromkeys(names.split(","), path)
    return found


def _version_1(mounts: Path, own: dict[str, str]) -> Parents | None:
    folders = []
    for name in _CONTROLLERS:
        inside = mounts / name / own.get(name, "/").lstrip("/")
        folders.append(inside if inside.is_dir() else mounts / name)  # a container shows its own part at the top
    return Parents(1, tuple(folders)) if all((f / "cgroup.procs").exists() for f in folders) else None


def _version_2(mounts: Path, own: dict[str, str]) -> list[Parents]:
    """Our own group if it may have children, or the one above it, which has this one as a child."""
    here = mounts / own.get("", "/").lstrip("/")
    return [Parents(2, (folder,)) for folder in (here, here.parent) if _hands_down(folder)]


def _hands_down(folder: Path) -> bool:
    control = folder / "cgroup.subtree_control"
    try:
        if not set(_CONTROLLERS) <= set(control.read_text().split()):
            control.write_text(" ".join(f"+{name}" for name in _CONTROLLERS))
        return set(_CONTROLLERS) <= set(control.read_text().split())
    except OSError:
        return False


def _works(parents: Parents) -> bool:
    name = f"kernel-grader-{os.getpid()}-probe"
    group = Group(parents.version, tuple(folder / name for folder in parents.folders))
    try:
        for folder in group.folders:
            folder.mkdir()
        with subprocess.Popen(["sleep", "60"]) as process:
            try:
                group.enter([process.pid])
            finally:
                process.kill()
        return True
    except OSError:
        return False
    finally:
        group.remove()
