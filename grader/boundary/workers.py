"""Workers: started before anybody knows whose file they get, one sandbox for each submission, ended with all in it.

On the CPU a server in the sandbox, with torch and Triton imported and without student code, forks one child for each
setting of a test. On a GPU the worker answers itself, since a process with a CUDA context cannot be forked. How a
sandbox is made and what it keeps out is told in `grader.boundary.sandbox`.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from grader.boundary import sandbox
from grader.boundary.host import cache_folder
from grader.boundary.sandbox import Cell, Level, Request
from grader.boundary.sandboxes import Sandboxes
from grader.boundary.server import Plan, Server, start
from grader.exercise import Exercise
from shared.cuda import build

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "kernel-grader-"
"""Of temporary folders; the process that owns one follows."""

Result = TypeVar("Result")


class Workers:
    """All sandboxes of one run of the grader; leaving the context ends every one of them."""

    def __init__(
        self, device_index: int = 0, level: Level | None = None, shared: bool = False, profiles: bool = False
    ) -> None:
        """`device_index` counts the GPUs that this process may see; `level` is the best that there is.

        `shared` serves all submissions from one sandbox: for files that are all by the same author. At the level
        `none`, where nothing keeps two submissions apart, it is always so. A GPU's worker that `profiles` has CUPTI
        loaded when it is ready, which takes seconds.
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
        self._profiles = profiles
        self.shared = shared or self.level is Level.NONE
        self._waiting: dict[Plan, list[Server]] = {}
        self._wanted: Counter[Plan] = Counter()
        self._standing: dict[Plan, Server] = {}  # of all submissions together, where they share
        self._started: list[Server] = []
        self._numbers = itertools.count(1)
        self._has_runtime = False
        self._beside = ThreadPoolExecutor(1)

    def __enter__(self) -> Workers:
        """The workers themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every process and remove the folder."""
        for server in list(self._started):
            self.end(server)
        self._beside.shutdown()
        remove(self._folder)

    def beside(self, work: Callable[[], Result]) -> Future[Result]:
        """Do something while this thread goes on, one thing after the other.

        The thread lives as long as the workers: bwrap dies with the one that started it.
        """
        return self._beside.submit(work)

    def prepare(self, exercise: Exercise, device: str, count: int = 1) -> None:
        """Start what `count` submissions of the exercise will need, as far ahead as is of use; wait for nothing."""
        for plan in Plan.all_of(exercise, device):
            self._wanted[plan] += count
            self._refill(plan, ahead=count if plan.mode == "cuda" else 1)

    def wait(self) -> None:
        """Until all that was started in advance is ready: nothing of it disturbs a measurement then."""
        for server in itertools.chain.from_iterable(self._waiting.values()):
            server.await_ready()

    def sandboxes(self) -> Sandboxes:
        """Those of one submission: nothing in them is seen by another one."""
        return Sandboxes(self)

    def take(self, plan: Plan) -> Server:
        """A server that was started in advance, or a new one; ready."""
        waiting = self._waiting.setdefault(plan, [])
        if not waiting:  # one comes without notice: so will the next
            self._wanted[plan] = max(2, self._wanted[plan])
            self._refill(plan, ahead=1)
        server = waiting.pop(0)
        server.await_ready()
        if plan.mode != "cuda":  # a context that is being made would disturb the clock of the one that was taken
            self._refill(plan, ahead=1)
        return server

    def standing(self, plan: Plan) -> Server:
        """The server that all submissions share; a new one where it has died."""
        if plan in self._standing and self._standing[plan].control.fileno() < 0:
            del self._standing[plan]
        if plan not in self._standing:
            self._standing[plan] = self.take(plan)
        return self._standing[plan]

    def number(self) -> int:
        """One that no folder has yet."""
        return next(self._numbers)

    def end(self, server: Server) -> None:
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

    def _start(self, plan: Plan) -> Server:
        def begin(argv: tuple[str, ...], descriptor: int, output: int) -> Cell:
            request = Request(argv, plan.mode, self.device_index, plan.disk_mb, plan.processes, self._profiles)
            folder = self._folder / str(self.number())
            return sandbox.start(self.level, request, self._view, folder, [descriptor], output)

        self._started.append(start(plan, begin))
        return self._started[-1]

    def _refill(self, plan: Plan, ahead: int) -> None:
        """Start what was announced, but keep no more waiting than are of use."""
        waiting = self._waiting.setdefault(plan, [])
        if self.shared and plan.mode != "cuda":
            self._wanted[plan] = 0 if plan in self._standing or waiting else 1
        while self._wanted[plan] > 0 and len(waiting) < ahead:
            self._wanted[plan] -= 1
            waiting.append(self._start(plan))


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
