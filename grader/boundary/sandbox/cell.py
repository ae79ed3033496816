"""One running sandbox: started once, watched from outside, and ended with everything in it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.boundary.sandbox import bubblewrap, cgroups, command, syscalls, users
from grader.boundary.sandbox.cgroups import Group
from grader.boundary.sandbox.command import Request
from grader.boundary.sandbox.level import Level
from grader.boundary.sandbox.users import User
from grader.boundary.sandbox.visible import View, inside
from grader.worker import limits

_ENTER_FILTER = "grader/worker/enter.py"
_GONE_S = 2.0
"""Seconds for bwrap to end by itself once everything inside is dead; milliseconds in practice."""
_DISK_LOOKS_S = 0.5


@dataclass
class Cell:
    """A sandbox and what it has been given; `end` gives all of it back."""

    level: Level
    process: subprocess.Popen[bytes]
    request: Request
    folder: Path  # where it may write, as it is seen inside
    user: User | None = None
    group: Group | None = None
    worker: int = 0  # the number out here of what answers, once it is ready: nothing has come after it yet
    _looked: float = 0.0

    def pids(self) -> list[int]:
        """Every process inside, by its number out here."""
        found = tree(self.process.pid)
        if self.level is Level.UID and self.user is not None:
            found += sorted(set(self.user.pids()) - set(found))  # a daemon has left the tree
        return found

    def is_lost(self) -> bool:
        """Whether the worker has been stopped or killed by what it serves: it would never answer again."""
        if not sys.platform.startswith("linux"):
            return False
        try:
            state = Path(f"/proc/{self.worker}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        return state in "TtZX"

    def resident_bytes(self) -> int:
        """Memory of all of them."""
        return sum(limits.resident_bytes(pid) for pid in self.pids())

    def confine(self, memory_bytes: int) -> None:
        """Before the submission comes in, build a wall around what is used from now on."""
        if self.level is not Level.NONE:
            self.group = cgroups.around(self.pids(), memory_bytes, self.request.processes)

    def excess(self) -> str:
        """What was used beyond its bound, as far as the sandbox knows; empty otherwise."""
        if self.group is not None and self.group.was_out_of_memory():
            return "used too much memory and was ended by the system"
        if self.level is Level.UID and self.user is not None and time.monotonic() > self._looked + _DISK_LOOKS_S:
            self._looked = time.monotonic()
            if self.user.written_bytes(self.folder, self.pids()) > self.request.disk_mb * 2**20:
                return f"wrote more than {self.request.disk_mb:g} MB of files and was ended"
        return ""

    def end(self, grace_s: float = 0.0) -> int:
        """Give it a moment, then kill everything; the exit code of the worker, negative for a signal."""
        try:
            code = self.process.wait(grace_s)
        except subprocess.TimeoutExpired:
            code = self._kill()
        if self.user is not None:
            if self.level is Level.UID:
                self.user.clean()  # also what has left the tree
                subprocess.run([users.tool("rm"), "-rf", "--", str(self.folder)], check=False)
            self.user.release()
            self.user = None
        if self.group is not None:
            self.group.remove()
            self.group = None
        return code if self.level is not Level.NAMESPACES or code <= 128 else 128 - code  # bwrap adds 128

    def _kill(self) -> int:
        if self.level is Level.NAMESPACES:
            # The first process inside takes all others along, and bwrap waits until they are gone.
            for pid in _children(self.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.send_signal(signal.SIGCONT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_GONE_S)
                return -signal.SIGKILL
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return self.process.wait()


def start(level: Level, request: Request, view: View, folder: Path, descriptors: Sequence[int], output: int) -> Cell:
    """Start `request.argv` at this level; it inherits `descriptors`, and writes into `output` only.

    `folder` is new and ours; at the levels without a root folder of their own the worker may write there. The thread
    that calls this must outlive the sandbox: bwrap dies with it.
    """
    folder.mkdir(parents=True)
    if level is Level.NONE:
        env = command.environment(request, folder, view.code)
        process = _popen(request.argv, env, folder, descriptors, output)
        return Cell(level, process, request, folder)
    is_root = os.getuid() == 0
    user = users.acquire() if is_root else None
    begin = _in_namespaces if level is Level.NAMESPACES else _as_user
    try:
        return begin(request, view, folder, descriptors, output, user)
    except BaseException:
        if user is not None:
            user.release()
        raise


def _in_namespaces(
    request: Request,
    view: View,
    folder: Path,
    descriptors: Sequence[int],
    output: int,
    user: User | None,
) -> Cell:
    env = command.environment(request, bubblewrap.HOME, inside(Level.NAMESPACES, view).code)
    deny = _readable(syscalls.program(own_namespaces=True))
    words = bubblewrap.options(request, env, view, deny, is_root=user is not None)
    arguments = _readable(b"".join(word.encode() + b"\0" for word in words))
    is_alone = user is not None or command.counts_per_namespace()
    wanted = [users.tool("bwrap"), "--args", str(arguments), "--", *(user.drop() if user else ())]
    wanted += [*command.limited(request, is_alone), *request.argv]
    try:
        process = _popen(wanted, {}, folder, [*descriptors, deny, arguments], output)
    finally:
        os.close(deny)
        os.close(arguments)
    return Cell(Level.NAMESPACES, process, request, bubblewrap.HOME, user)


def _as_user(
    request: Request,
    view: View,
    folder: Path,
    descriptors: Sequence[int],
    output: int,
    user: User | None,
) -> Cell:
    if user is None:
        raise PermissionError("the level `uid` needs root: only root can become another user")
    user.clean()  # what a grader left that was killed itself
    os.chown(folder, user.number, user.number)
    folder.chmod(0o700)
    env = command.environment(request, folder, view.code)
    deny = _readable(syscalls.program(own_namespaces=False))
    filtered = [request.argv[0], "-I", "-S", str(view.code / _ENTER_FILTER), str(deny)]
    wanted = [*user.drop(), *command.limited(request, is_alone=True), *filtered, *request.argv]
    try:
        process = _popen(wanted, env, folder, [*descriptors, deny], output)
    finally:
        os.close(deny)
    return Cell(Level.UID, process, request, folder, user)


def _popen(
    words: Sequence[str], env: dict[str, str], folder: Path, descriptors: Sequence[int], output: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words,
        cwd=folder,
        env=env,
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


def _readable(data: bytes) -> int:
    """A descriptor from which a process reads these few bytes."""
    reading, writing = os.pipe()
    with open(writing, "wb") as file:
        file.write(data)
    return reading


def tree(pid: int) -> list[int]:
    """A process and everything that descends from it, in whatever group or namespace it is."""
    return [pid, *(each for child in _children(pid) for each in tree(child))]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # the process has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):  # that thread has
                found += map(int, (thread / "children").read_text().split())
    return found
