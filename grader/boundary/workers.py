"""Start workers and end them: one warm fork server per kind on the CPU, one process per submission on a GPU.

Isolation here is a process of its own, in its own group, with limits of time, memory and output, a clean
environment and an empty folder. A sandbox around it is started in `_command`, and nowhere else.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.boundary.session import Session
from grader.errors import GraderError
from grader.exercise import Exercise, Limits
from grader.worker import limits as worker_limits
from grader.worker import wire
from grader.worker.__main__ import PROFILES

ROOT = Path(__file__).resolve().parents[2]
START_S = 120.0
"""Seconds for a worker to import its libraries; a cold disk with torch on it is slow."""

_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CXX",
    "CC",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
)


PREFIX = "kernel-grader-"
"""Of temporary folders; the process that owns one follows."""
ANSWER_S = 5.0
"""Seconds for a fork server to answer; it forks in milliseconds."""
_FAREWELL_S = 0.3
"""Seconds that a worker gets to end its children before it is killed itself."""


@dataclass(frozen=True)
class _Server:
    """A running worker process and the grader's end of its first connection."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    log: Path  # what it wrote while it started
    output: int | None  # the reading end of its prints, of a GPU's worker

    def ask(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> dict[str, Any]:
        """The answer; a server that gives none, stopped or killed by what it serves, is ended with its children."""
        self.control.settimeout(ANSWER_S)
        try:
            wire.send(self.control, message, descriptors)
            return wire.receive(self.control)[0]
        except (wire.WireError, OSError):
            self.control.close()
            _end(self.process, 0.0)
            raise


class Workers:
    """All processes of one run of the grader; leaving the context ends every one of them."""

    def __init__(self, device_index: int = 0, *, profiles: bool = False) -> None:
        """Nothing is started yet; `device_index` counts the GPUs that this process may see.

        A GPU's worker that `profiles` has CUPTI loaded when it is ready, which takes seconds.
        """
        self.device_index = device_index
        self._profiles = profiles
        remove_stale()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._servers: dict[str, _Server] = {}
        self._starting: dict[str, list[_Server]] = {}
        self._started: list[_Server] = []
        self._ready: set[int] = set()
        self._count = 0

    def __enter__(self) -> Workers:
        """The workers themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every process and remove the folder."""
        for server in self._started:
            server.control.close()  # a fork server ends its children on this
        for server in self._started:
            _end(server.process, _FAREWELL_S)
        remove(self._folder)

    def prepare(self, exercise: Exercise, device: str, count: int = 1) -> None:
        """Start what the exercise will need, without waiting for it; `count` workers on a GPU."""
        modes = {_mode(exercise, device)} | ({"bare"} if exercise.is_cuda else set())
        for mode in modes - set(self._servers) - set(self._starting):
            self._starting[mode] = [self._start(mode) for _ in range(count if mode == "cuda" else 1)]

    def wait(self) -> None:
        """Until all that was started in advance is ready: nothing of it disturbs a measurement then."""
        for server in [each for waiting in self._starting.values() for each in waiting]:
            self._await(server)

    def folder(self) -> Path:
        """A new folder's path, for one child or one build."""
        self._count += 1
        return self._folder / f"{self._count}"

    def open(self, exercise: Exercise, device: str) -> Session:
        """A fresh worker for one submission; on a GPU it has its own CUDA context."""
        mode = _mode(exercise, device)
        if mode == "cuda":
            return self._gpu_session(exercise.limits)
        try:
            return self._forked(self._server(mode), exercise.limits)
        except (wire.WireError, OSError):
            self._servers.pop(mode, None)  # killed by what it served: a new one, once
            return self._forked(self._server(mode), exercise.limits)

    def _server(self, mode: str) -> _Server:
        if mode not in self._servers:
            self._servers[mode] = self._next(mode)
        return self._servers[mode]

    def _next(self, mode: str) -> _Server:
        """One that was started in advance, or a new one; ready."""
        waiting = self._starting.get(mode, [])
        server = waiting.pop(0) if waiting else self._start(mode)
        if not waiting:
            self._starting.pop(mode, None)
        self._await(server)
        return server

    def _await(self, server: _Server) -> None:
        if server.process.pid not in self._ready:
            _await_ready(server)
            self._ready.add(server.process.pid)

    def _forked(self, server: _Server, limits: Limits) -> Session:
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        request = {"op": "fork", "folder": str(self.folder()), "memory_mb": limits.memory_mb}
        try:
            pid = server.ask(request, (theirs.fileno(), writing))["pid"]
        except (wire.WireError, OSError):
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
                return -signal.SIGKILL  # the server went down with it; `open` starts another

        def rss() -> int:
            try:
                return int(server.ask({"op": "rss", "pid": pid})["bytes"])
            except (wire.WireError, OSError):
                return 0

        return Session(ours, reading, limits, end, rss)

    def _gpu_session(self, limits: Limits) -> Session:
        server = self._next("cuda")
        process = server.process
        assert server.output is not None

        def end(grace_s: float) -> int:
            return _end(process, grace_s)

        def rss() -> int:
            return worker_limits.resident_bytes(process.pid)

        return Session(server.control, server.output, limits, end, rss, lambda: _tree(process.pid))

    def _start(self, mode: str) -> _Server:
        """A server writes into its log; a GPU's worker, which runs student code itself, into a pipe."""
        reading, writing = os.pipe() if mode == "cuda" else (None, None)
        ours, theirs = socket.socketpair()
        folder = self.folder()
        folder.mkdir(parents=True)
        log = folder / "start.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                _command(mode, theirs.fileno()),
                cwd=folder,
                env=_environment(mode, folder, self.device_index) | {PROFILES: str(int(self._profiles))},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=file if writing is None else writing,
                stderr=file if writing is None else writing,
                start_new_session=True,
            )
        theirs.close()
        if writing is not None:
            os.close(writing)
        server = _Server(process, ours, log, reading)
        self._started.append(server)
        return server


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


def _tree(pid: int) -> list[int]:
    """A process and everything that descends from it, in whatever group it is."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [each for child in task.read_text().split() for each in _tree(int(child))]
        except OSError:
            continue  # that thread has ended
    return found


def _mode(exercise: Exercise, device: str) -> str:
    if device == "cuda":
        return "cuda"
    return "bare" if exercise.is_cuda else "torch"


def _command(mode: str, descriptor: int) -> list[str]:
    return [sys.executable, "-m", "grader.worker", mode, str(descriptor)]


def _environment(mode: str, folder: Path, device_index: int) -> dict[str, str]:
    """Nothing of the grader's environment but what finds compilers and libraries."""
    env = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    env |= {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *_library_paths()]),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "TRITON_CACHE_DIR": str(folder / "triton"),
        "OMP_NUM_THREADS": "1",  # one thread: deterministic sums, and a process that can be forked
        "OPENBLAS_NUM_THREADS": "1",
    }
    if mode == "torch":
        env["TRITON_INTERPRET"] = "1"
    if mode == "cuda":
        env["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:False"  # whole allocations, which can be shared
        env["CUDA_VISIBLE_DEVICES"] = visible_device(device_index)
    return env


def visible_device(index: int) -> str:
    """The name of a device for a process that shall see only this one."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return visible.split(",")[index] if visible else str(index)


def _library_paths() -> list[str]:
    """Folders given by PYTHONPATH: where libraries may lie on a machine that installs nothing."""
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


def _await_ready(server: _Server) -> None:
    server.control.settimeout(START_S)
    try:
        message, _ = wire.receive(server.control)
    except (wire.WireError, OSError) as error:
        code = _end(server.process, 1.0)
        raise GraderError(f"a worker did not start ({error}, exit code {code}){_tail(server)}") from error
    finally:
        server.control.settimeout(None)
    if message.get("op") != "ready":
        raise GraderError(f"a worker answered {message} instead of being ready")


def _tail(server: _Server) -> str:
    """The last lines that the worker wrote while it started."""
    lines = server.log.read_text("utf-8", "replace").strip().splitlines()[-5:]
    return "".join(f"\n    {line}" for line in lines)


def _end(process: subprocess.Popen[bytes], grace_s: float) -> int:
    """Give a process a moment, then kill its whole group; its exit code."""
    try:
        return process.wait(grace_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()
