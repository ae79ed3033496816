"""One running worker: started in a sandbox, asked over its first connection, ended with everything in it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.boundary.sandbox import Cell
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.worker import wire
from shared.cuda.compilers import find_gpu_compiler

START_S = 120.0
"""Seconds for a worker to import its libraries; a cold disk with torch on it is slow."""
ANSWER_S = 5.0
"""Seconds for a fork server to answer; it forks in milliseconds."""

COMPILER = "compiler"
"""Stands for a device where kernels are compiled for a GPU, and nothing runs."""


def is_compiled(exercise: Exercise, device: str) -> bool:
    """Whether a GPU's compiler is asked, too: on a GPU it is in any case.

    For Triton's the first small input is the example; nvcc needs none, but may not be there.
    """
    if device != "cpu" or exercise.device == "cpu":
        return False
    if exercise.is_cuda:
        return find_gpu_compiler() is not None
    return exercise.is_triton and bool(exercise.efficiency)


@dataclass(frozen=True)
class Plan:
    """What can be started before a submission is named."""

    mode: str  # bare, nvcc, torch, compiler or cuda
    disk_mb: float
    processes: int

    @classmethod
    def of(cls, exercise: Exercise, device: str) -> Plan:
        """What a submission of this exercise needs to run on a device, or to be compiled for one."""
        on_the_cpu, compiler = ("bare", "nvcc") if exercise.is_cuda else ("torch", "compiler")
        mode = {"cuda": "cuda", COMPILER: compiler}.get(device, on_the_cpu)
        return cls(mode, exercise.limits.disk_mb, exercise.limits.processes)

    @classmethod
    def all_of(cls, exercise: Exercise, device: str) -> list[Plan]:
        """Everything that a submission of this exercise needs, first what is asked first."""
        devices = [device, "cpu"] if exercise.is_cuda else [device]
        devices += [COMPILER] if is_compiled(exercise, device) else []
        plans = list(dict.fromkeys(cls.of(exercise, each) for each in devices))
        if exercise.efficiency and device == "cuda":
            plans.append(cls.of(exercise, "cpu"))  # what a call moves is counted there, in a sandbox of its own
        return plans


@dataclass
class Server:
    """A running worker, the grader's end of its first connection, and of its prints until somebody has taken it."""

    cell: Cell
    control: socket.socket
    output: int | None
    is_ready: bool = False

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

    def await_ready(self) -> None:
        """Wait until it has imported its libraries. Raises GraderError."""
        if self.is_ready:
            return
        self.is_ready = True
        self.control.settimeout(START_S)
        try:
            message, _ = wire.receive(self.control)
        except (wire.WireError, OSError) as error:
            code = self.cell.end(1.0)
            raise GraderError(f"a worker did not start ({error}, exit code {code}){self._tail()}") from error
        finally:
            self.control.settimeout(None)
        self.cell.worker = self.cell.pids()[-1]
        if self.cell.request.mode != "cuda":
            self.close_output()  # a server that forks prints nothing more; its children have pipes of their own
        if message.get("op") != "ready":
            raise GraderError(f"a worker answered {message} instead of being ready")

    def _tail(self) -> str:
        """The last lines that it wrote while it started."""
        assert self.output is not None
        os.set_blocking(self.output, False)
        try:
            text = os.read(self.output, 1 << 16).decode("utf-8", "replace")
        except BlockingIOError:
            return ""
        return "".join(f"\n    {line}" for line in text.strip().splitlines()[-5:])


Begin = Callable[[tuple[str, ...], int, int], Cell]
"""Starts a command line in a sandbox: it inherits a descriptor, and writes into another one."""


def start(plan: Plan, begin: Begin) -> Server:
    """Start a worker, without waiting for it. Raises GraderError.

    Its prints are a pipe: a file could be filled or rewritten by whoever gets at the server.
    """
    reading, writing = os.pipe()
    ours, theirs = socket.socketpair()
    argv = (sys.executable, "-m", "grader.worker", plan.mode, str(theirs.fileno()))
    try:
        return Server(begin(argv, theirs.fileno(), writing), ours, reading)
    except OSError as error:
        os.close(reading)
        ours.close()
        raise GraderError(f"a worker cannot be started: {error}") from error
    finally:
        theirs.close()
        os.close(writing)
