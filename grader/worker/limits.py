"""Limits that a worker puts on itself before any student code runs."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_MAX_FILE_BYTES = 1 << 30


def die_with_parent(parent: int = 0) -> None:
    """End with the process that started this one, however that one ends (Linux; a no-op elsewhere).

    Who knows its `parent` also ends when that one has ended before this call.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent and os.getppid() != parent:
        os._exit(1)


def die_first() -> None:
    """When memory runs out, be what the kernel ends, and not the grader."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        return  # not Linux


def be_dumpable(yes: bool) -> None:
    """Whether other processes of this user may look into this one, in /proc and otherwise (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, int(yes))


def adopt_orphans() -> None:
    """Become the parent of whatever descendants lose theirs, so that they can be ended (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def restrict(memory_mb: float) -> None:
    """No core files, bounded files, and a bound on private memory.

    The bound on memory is a belt: shared mappings escape it, so the grader also watches the resident size.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_FSIZE, _MAX_FILE_BYTES)
    if sys.platform == "linux":
        bound = int(memory_mb * 2**20) + resident_bytes(os.getpid())
        resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))


def _lower(kind: int, bound: int) -> None:
    """Set a limit, unless a lower one is in force already."""
    hard = resource.getrlimit(kind)[1]
    bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
    resource.setrlimit(kind, (bound, bound))


def resident_bytes(pid: int) -> int:
    """Resident memory of a process; 0 when it is gone or the system does not say."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
