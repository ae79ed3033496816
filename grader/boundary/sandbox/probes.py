"""Which levels this host gives: each is started as a worker's sandbox is, and asked what it is like inside.

What comes back must say the word that this call invented, so that nothing else can pass for an answer, and every
single promise of the level must hold.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.boundary.sandbox import cell, syscalls, visible
from grader.boundary.sandbox.command import Request
from grader.boundary.sandbox.level import Level
from grader.boundary.sandbox.visible import ROOT, View
from grader.errors import GraderError

CHOICE = "KERNEL_GRADER_SANDBOX"
"""The environment variable that asks for one level; without it, the best that there is."""

_SECONDS = 20.0
_REQUEST = Request(argv=(), mode="bare", device_index=0, disk_mb=16.0, processes=64)
_LOOK = """
import ctypes, json, os, sys
word, grader, *hidden = sys.argv[1:]
lines = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
number = lambda name, base: int(lines[name].strip(), base)
def writes(place):
    try:
        open(os.path.join(place, "probe"), "w").close()
        return True
    except OSError:
        return False
print(json.dumps({
    "word": word,
    "uid": os.getuid(),
    "gids": [os.getgid(), *os.getgroups()],
    "capabilities": number("CapEff", 16) | number("CapPrm", 16) | number("CapAmb", 16),
    "bounded": number("NoNewPrivs", 10) == 1,
    "filter": number("Seccomp", 10) == 2 and ctypes.CDLL(None).unshare(0) != 0,
    "sees_grader": os.path.exists("/proc/%s/environ" % grader) and os.access("/proc/%s/environ" % grader, os.R_OK),
    "processes": sum(name.isdigit() for name in os.listdir("/proc")),
    "namespaces": [os.readlink("/proc/self/ns/" + name) for name in ("mnt", "pid", "net", "ipc", "uts")],
    "readable": [path for path in hidden if os.access(path, os.R_OK)],
    "writable": [place for place in ("/", "/usr", "/dev", sys.prefix) if writes(place)],
}))
"""


@dataclass(frozen=True)
class Lack:
    """Why a level cannot be had here, and the command that mends it."""

    reason: str
    mend: str


def chosen(view: View, folder: Path) -> Level:
    """The level that was asked for, or the best that this host gives. Raises GraderError for one that it lacks."""
    asked = os.environ.get(CHOICE, "")
    if asked:
        known = [level.value for level in Level]
        if asked not in known:
            raise GraderError(f"{CHOICE}={asked!r}: expected one of {', '.join(known)}")
        lack = _cached(Level(asked), view, folder)
        if lack is not None:
            raise GraderError(f"{CHOICE}={asked}, which this host lacks: {lack.reason}; try: {lack.mend}")
        return Level(asked)
    return next(level for level in Level if _cached(level, view, folder) is None)


_known: dict[Level, Lack | None] = {}


def _cached(level: Level, view: View, folder: Path) -> Lack | None:
    """Once per process: neither the host nor the course changes while a grader runs."""
    if level not in _known:
        _known[level] = lack(level, view, folder, staff_files())
    return _known[level]


def lacks() -> dict[Level, Lack | None]:
    """Every level, and why it cannot be had, if so."""
    with _place() as (view, folder):
        return {level: lack(level, view, folder / level.value, staff_files()) for level in Level}


@contextlib.contextmanager
def _place() -> Iterator[tuple[View, Path]]:
    folder = Path(tempfile.mkdtemp(prefix="kernel-grader-probe-"))
    try:
        folder.chmod(0o711)
        yield visible.make_view(folder / "view"), folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def staff_files() -> tuple[Path, ...]:
    """What no submission may read, as far as it is in this copy."""
    found = [ROOT / "solutions", ROOT / ".git", *sorted((ROOT / "exercises").glob("*/hidden"))]
    return tuple(path for path in found if path.exists())


def lack(level: Level, view: View, folder: Path, hidden: Sequence[Path]) -> Lack | None:
    """None when a sandbox of this level was started and kept every promise."""
    if level is Level.NONE:
        return None
    return _missing(level) or _tried(level, view, folder, hidden)


def _missing(level: Level) -> Lack | None:
    if sys.platform != "linux":
        return Lack(f"{sys.platform} has none of what it is made of", "grade in a Linux container or virtual machine")
    if not syscalls.is_known():
        return Lack("no list of system calls for this processor", "grade on x86-64 or aarch64")
    if level is Level.UID and os.getuid() != 0:
        return Lack("only root can become another user", "grade as root inside a container of its own")
    needed = ("setpriv", "prlimit") + (("bwrap",) if level is Level.NAMESPACES else ())
    for program in needed:
        if shutil.which(program) is None:
            package = "bubblewrap" if program == "bwrap" else "util-linux"
            return Lack(f"`{program}` is not installed", f"apt-get install {package}")
    return None


def _tried(level: Level, view: View, folder: Path, hidden: Sequence[Path]) -> Lack | None:
    word = secrets.token_hex(8)
    try:
        said = _ask(level, view, folder / f"probe-{level.value}", (word, str(os.getpid()), *map(str, hidden)))
    except (OSError, GraderError) as error:
        return Lack(f"it does not start: {error}", _mend_start(level))
    try:
        facts = json.loads(said)
        if facts["word"] != word:
            raise ValueError("another word")
    except (ValueError, KeyError, TypeError):
        return Lack(f"it does not start: {said.strip()[-300:] or 'no answer'}", _mend_start(level))
    return _judged(level, facts)


def _ask(level: Level, view: View, folder: Path, arguments: tuple[str, ...]) -> str:
    """What Python says inside, or what kept it from starting."""
    argv = (sys.executable, "-I", "-S", "-c", _LOOK, *arguments)
    reading, writing = os.pipe()
    try:
        started = cell.start(level, Request(**{**vars(_REQUEST), "argv": argv}), view, folder, (), writing)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    with contextlib.suppress(subprocess.TimeoutExpired):
        started.process.wait(_SECONDS)
    started.end()
    with open(reading, "rb") as file:
        return file.read(1 << 16).decode("utf-8", "replace")


def _judged(level: Level, facts: dict[str, Any]) -> Lack | None:
    broken = [text for holds, text in _promises(level, facts) if not holds]
    if broken:
        return Lack(f"it starts, but {broken[0]}", _mend_start(level))
    if facts["readable"]:
        paths = " ".join(facts["readable"])
        return Lack(f"every user can read {facts['readable'][0]}", f"chmod -R go-rwx {paths}")
    return None


def _promises(level: Level, facts: dict[str, Any]) -> Iterator[tuple[bool, str]]:
    yield facts["uid"] != 0 and 0 not in facts["gids"], "it runs as root"
    yield facts["capabilities"] == 0, "it has capabilities"
    yield bool(facts["bounded"] and facts["filter"]), "the filter of system calls is not in force"
    yield not facts["sees_grader"], "it can read the grader's environment in /proc"
    yield not facts["writable"], f"it can write to {', '.join(facts['writable'])}"
    if level is Level.NAMESPACES:
        ours = [str(Path(f"/proc/self/ns/{name}").readlink()) for name in ("mnt", "pid", "net", "ipc", "uts")]
        yield not set(ours) & set(facts["namespaces"]), "it shares a namespace with the grader"
        yield facts["processes"] < 8, "it sees processes of the host"


def _mend_start(level: Level) -> str:
    if level is Level.UID:
        return _mend_path()
    restricted = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if os.getuid() != 0 and restricted.exists() and restricted.read_text().strip() == "1":
        return "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    if Path("/.dockerenv").exists():
        return "docker run --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined …"
    return "sudo sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000"


def _mend_path() -> str:
    """Python must be within reach of another user: the folders above it that are closed."""
    places = {Path(sys.executable), Path(sys.executable).resolve(), Path(sys.prefix), Path(sys.base_prefix)}
    above = {folder for place in places for folder in place.parents}
    closed = sorted(str(folder) for folder in above if not folder.stat().st_mode & 0o001)
    return f"chmod o+x {' '.join(closed)}" if closed else "install Python where every user can read it"
