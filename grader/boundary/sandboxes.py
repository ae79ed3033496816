"""The sandboxes of one submission: one on the CPU, which forks a process for each setting, and one per GPU context."""

from __future__ import annotations

import os
import signal
import socket
from typing import Protocol

from grader.boundary.server import Plan, Server
from grader.boundary.session import Session
from grader.exercise import Exercise, Limits
from grader.worker import wire

_WALL = 2.0
"""A sandbox's wall around memory, in units of the exercise's limit: the watchdog sees the limit itself."""


class Pool(Protocol):
    """Where running servers come from."""

    shared: bool

    def take(self, plan: Plan) -> Server:
        """One for this submission alone; ready."""

    def standing(self, plan: Plan) -> Server:
        """The one that all submissions share."""

    def end(self, server: Server) -> None:
        """End one that was taken."""

    def number(self) -> int:
        """One that no folder has yet."""

    def runtime(self) -> str:
        """Where workers find the grader's own compiled parts."""


class Sandboxes:
    """The sandboxes of one submission."""

    def __init__(self, workers: Pool) -> None:
        """Nothing is taken yet."""
        self._workers = workers
        self._servers: dict[Plan, Server] = {}

    def open(self, exercise: Exercise, device: str) -> Session:
        """A fresh process; on a GPU it has its own sandbox and CUDA context."""
        plan = Plan.of(exercise, device)
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

    def _server(self, plan: Plan, limits: Limits) -> Server:
        if self._workers.shared:
            return self._workers.standing(plan)
        if plan not in self._servers:
            self._servers[plan] = self._workers.take(plan)
            self._servers[plan].cell.confine(int(_WALL * limits.memory_mb * 2**20))
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
        cell.confine(int(_WALL * limits.memory_mb * 2**20))
        return Session(
            server.control, output, limits, cell.end, cell.resident_bytes, cell.excess, cell.worker, cell.pids
        )
