"""Workers: started before anybody knows whose file they get, one sandbox for each submission, ended with all in it.

On the CPU a server in the sandbox, with torch and Triton imported and without student code, forks one child for each
setting of a test. On a GPU the worker answers itself, since a process with a CUDA context cannot be forked. How a
sandbox is made and what it keeps out is told in `grader.boundary.sandbox`.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.boundary import sandbox
from grader.boundary.host import cache_folder
from grader.boundary.sandbox import Cell, Level, Request
from grader.boundary.session import Session
from grader.errors import GraderError
from grader.exercise import Exercise, Limits
from grader.worker import wire
from shared.cuda import build

ROOT = Path(__file__).resolve().parents[2]
START_S = 120.0
"""Seconds for a worker to import its libraries; a cold disk with torch on it is slow."""
PREFIX = "kernel-grader-"
"""Of temporary folders; the process that owns one follows."""
ANSWER_S = 5.0
"""Seconds for a fork server to answer; it forks in milliseconds."""
_WALL = 2.0
"""A sandbox's wall around memory, in units of the exercise's limit: the watchdog sees the limit itself."""


@dataclass(frozen=True)
class Plan:
    """What can be started before a submission is named."""

    mode: str  # bare, torch or cuda
    disk_mb: float
    processes: int


@dataclass
class _Server:
    """A running worker, the grader's end of its first connection, and of its prints until somebody has taken it."""

    cell: Cell
    control: socket.socket
    output: int | None

    def ask(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> dict[str, Any]:
        """The answer; a server that gives none, stopped or killed by what it serves, is ended with its children."""
        self.control.settimeout(ANSWER_S)
        try:
            wire.send(self.control, message, descriptors)
            return wire.receive(self.control)[0]
        except (wire.WireError, OSError):
            self.end()
            raise

    def end(self) -> None:
        """End it and everything it started."""
        self.control.close()
        self.close_output()
        self.cell.end()

    def close_output(self) -> None:
        """Nobody reads it any more."""
        if self.output is not None:
            os.close(self.output)
            self.output = None


class Workers:
    """All sandboxes of one run of the grader; leaving the context ends every one of them."""

    def __init__(self, device_index: int = 0, level: Level | None = None, shared: bool = False) -> None:
        """`device_index` counts the GPUs that this process may see; `level` is the best that there is.

        `shared` serves all submissions from one sandbox: for files that are all by the same author. At the level
        `none`, where nothing keeps two submissions apart, it is always so.
        """
        self.device_index = device_index
        remove_stale()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._folder.chmod(0o711)  # a worker may be another user, and finds its own folder in here
        try:
            self._view = sandbox.make_view(self._folder / "view")
            self.level = level or sandbox.chosen(self._view, self._folder / "probe")
        except BaseException:
            remove(self._folder)
            raise
        self.shared = shared or self.level is Level.NONE
        self._waiting: dict[Plan, list[_Server]] = {}
        self._wanted: Counter[Plan] = Counter()
        self._standing: dict[Plan, _Server] = {}  # of all submissions together, where they share
        self._started: list[_Server] = []
        self._numbers = itertools.count(1)
        self._has_runtime = False

    def __enter__(self) -> Workers:
        """The workers themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every process and remove the folder."""
        for server in list(self._started):
            self.end(server)
        remove(self._folder)

    def prepare(self, exercise: Exercise, device: str, count: int = 1) -> None:
        """Start what `count` submissions of the exercise will need, as far ahead as is of use; wait for nothing."""
        for plan in {_plan(exercise, device)} | ({_plan(exercise, "cpu")} if exercise.is_cuda else set()):
            self._wanted[plan] += count
            self._refill(plan, ahead=count if plan.mode == "cuda" else 1)

    def sandboxes(self) -> Sandboxes:
        """Those of one submission: nothing in them is seen by another one."""
        return Sandboxes(self)

    def take(self, plan: Plan) -> _Server:
        """A server that was started in advance, or a new one; ready."""
        waiting = self._waiting.setdefault(plan, [])
        if not waiting:  # one comes without notice: so will the next
            self._wanted[plan] = max(2, self._wanted[plan])
            self._refill(plan, ahead=1)
        server = waiting.pop(0)
        self._await_ready(server)
        if plan.mode != "cuda":  # a context that is being made would disturb the clock of the one that was taken
            self._refill(plan, ahead=1)
        return server

    def standing(self, plan: Plan) -> _Server:
        """The server that all submissions share; a new one where it has died."""
        if plan in self._standing and self._standing[plan].control.fileno() < 0:
            del self._standing[plan]
        if plan not in self._standing:
            self._standing[plan] = self.take(plan)
        return self._standing[plan]

    def number(self) -> int:
        """One that no folder has yet."""
        return next(self._numbers)

    def end(self, server: _Server) -> None:
        """End a server and give back what it had."""
        server.end()
        if server in self._started:
            self._started.remove(server)

    def runtime(self) -> str:
        """Where workers find the grader's own compiled parts: a copy of what is compiled once per machine."""
        if not self._has_runtime:
            self._view.add(build.prepare_cpu(cache_folder()))
            self._has_runtime = True
        return str(sandbox.inside(self.level, self._view).cache)

    def _refill(self, plan: Plan, ahead: int) -> None:
        """Start what was announced, but keep no more waiting than are of use."""
        waiting = self._waiting.setdefault(plan, [])
        if self.shared and plan.mode != "cuda":
            self._wanted[plan] = 0 if plan in self._standing or waiting else 1
        while self._wanted[plan] > 0 and len(waiting) < ahead:
            self._wanted[plan] -= 1
            waiting.append(self._start(plan))

    def _start(self, plan: Plan) -> _Server:
        """Its prints are a pipe: a file could be filled or rewritten by whoever gets at the server."""
        reading, writing = os.pipe()
        ours, theirs = socket.socketpair()
        argv = (sys.executable, "-m", "grader.worker", plan.mode, str(theirs.fileno()))
        request = Request(argv, plan.mode, self.device_index, plan.disk_mb, plan.processes)
        folder = self._folder / str(self.number())
        try:
            cell = sandbox.start(self.level, request, self._view, folder, [theirs.fileno()], writing)
        except OSError as error:
            os.close(reading)
            ours.close()
            raise GraderError(f"a worker cannot be started: {error}") from error
        finally:
            theirs.close()
            os.close(writing)
        server = _Server(cell, ours, reading)
        self._started.append(server)
        return server

    def _await_ready(self, server: _Server) -> None:
        server.control.settimeout(START_S)
        try:
            message, _ = wire.receive(server.control)
        except (wire.WireError, OSError) as error:
            code = server.cell.end(1.0)
            raise GraderError(f"a worker did not start ({error}, exit code {code}){_tail(server)}") from error
        finally:
            server.control.settimeout(None)
        server.cell.worker = server.cell.pids()[-1]
        if server.cell.request.mode != "cuda":
            server.close_output()  # a server that forks prints nothing more; its children have pipes of their own
        if message.get("op") != "ready":
            raise GraderError(f"a worker answered {message} instead of being ready")


class Sandboxes:
    """The sandboxes of one submission."""

    def __init__(self, workers: Workers) -> None:
        """Nothing is taken yet."""
        self._workers = workers
        self._servers: dict[Plan, _Server] = {}
        self._counts = itertools.count(1)

    def open(self, exercise: Exercise, device: str) -> Session:
        """A fresh process; on a GPU it has its own sandbox and CUDA context."""
        plan = _plan(exercise, device)
        if plan.mode == "cuda":
            return self._gpu_session(plan, exercise.limits)
        try:
            return self._forked(plan, exercise.limits)
        except (wire.WireError, OSError):
            return self._forked(plan, exercise.limits)  # killed by what it served: a new one, once

    def runtime(self) -> str:
        """Where a worker on the CPU finds the grader's own compiled parts."""
        return self._workers.runtime()

    def close(self) -> None:
        """End what this submission had for itself."""
        for server in self._servers.values():
            self._workers.end(server)
        self._servers.clear()

    def _server(self, plan: Plan, limits: Limits) -> _Server:
        if self._workers.shared:
            return self._workers.standing(plan)
        if plan not in self._servers:
            self._servers[plan] = self._workers.take(plan)
            self._servers[plan].cell.allow_memory(int(_WALL * limits.memory_mb * 2**20))
        return self._servers[plan]

    def _forked(self, plan: Plan, limits: Limits) -> Session:
        server = self._server(plan, limits)
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        folder = server.cell.folder / str(self._workers.number())
        request = {"op": "fork", "folder": str(folder), "memory_mb": limits.memory_mb}
        try:
            pid = server.ask(request, (theirs.fileno(), writing))["pid"]
        except (wire.WireError, OSError):
            self._servers.pop(plan, None)
            ours.close()
            os.close(reading)
            raise
        finally:
            theirs.close()
            os.close(writing)

        def end(grace_s: float) -> int:
            try:
                return int(server.ask({"op": "end", "pid": pid, "grace_s": grace_s})["exit"])
            except (wire.WireError, OSError):
                self._servers.pop(plan, None)
                return -signal.SIGKILL  # the server went down with it; `open` takes another

        def excess() -> str:
            if server.cell.is_lost():
                server.end()
                return "closed its connection to the grader, or was killed, before it answered"
            return server.cell.excess()

        return Session(ours, reading, limits, end, server.cell.resident_bytes, excess=excess)

    def _gpu_session(self, plan: Plan, limits: Limits) -> Session:
        server = self._workers.take(plan)
        cell, output = server.cell, server.output
        assert output is not None
        server.output = None  # the session's from now on
        cell.allow_memory(int(_WALL * limits.memory_mb * 2**20))
        return Session(server.control, output, limits, cell.end, cell.resident_bytes, cell.signal, cell.excess)


def _plan(exercise: Exercise, device: str) -> Plan:
    mode = "cuda" if device == "cuda" else "bare" if exercise.is_cuda else "torch"
    return Plan(mode, exercise.limits.disk_mb, exercise.limits.processes)


def _tail(server: _Server) -> str:
    """The last lines that a worker wrote while it started."""
    assert server.output is not None
    os.set_blocking(server.output, False)
    try:
        text = os.read(server.output, 1 << 16).decode("utf-8", "replace")
    except BlockingIOError:
        return ""
    return "".join(f"\n    {line}" for line in text.strip().splitlines()[-5:])


def visible_device(index: int) -> str:
    """The name of a device for a process that shall see only this one."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return visible.split(",")[index] if visible else str(index)


def remove(folder: Path) -> None:
    """Remove a folder, however deep a submission has made it."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False)


def remove_stale() -> None:
    """Remove what graders have left that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdecimal() and not _exists(int(owner)):
            remove(folder)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
