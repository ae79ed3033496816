"""`debug`: one case in this process. Prints appear, breakpoints stop, and there are no marks.

Everything is as in `grade`, but the worker's code answers in this process, and the student's file is loaded from
where it lies. Nothing stands between it and this machine: it is for one's own files.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from grader.boundary.host import Host, cache_folder
from grader.bounds import mark
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.loading import choose, load_all
from grader.records import Setting, Visibility
from grader.status import Status
from grader.submission import collect
from grader.worker.child import Child
from grader.worker.remote import Remote
from shared.cuda import build as compiler


def run(root: Path, name: str, case: str, device: str, seed: int) -> int:
    """Run the settings of one case; 0 whatever they show."""
    from grader.grade import choose_device

    kind, index = choose_device(device)
    exercise = without_end(choose(load_all(root), [name])[0])
    if any(counted.name == case for counted in exercise.efficiency):
        kind = "cpu"  # where it is counted
    if kind == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"  # before anything imports triton
    submission = collect(exercise, exercise.student_file)
    if submission.finding is not None and submission.finding.status is Status.INVALID_SUBMISSION:
        raise UsageError(f"{submission.finding.summary}: {submission.finding.diagnosis}")
    console = Console()
    for setting in _run(exercise, submission.text, kind, index, case, seed):
        _show(console, setting)
    return 0


def without_end(exercise: Exercise) -> Exercise:
    """The exercise, with all the time that somebody at a breakpoint needs."""
    return exercise.model_copy(update={"limits": exercise.limits.model_copy(update={"wall_s": 1e9})})


def _run(exercise: Exercise, text: str, device: str, index: int, case: str, seed: int) -> list[Setting]:
    from grader.testing.run import Options, run_tests

    if device == "cpu" and "triton" in exercise.requires:
        from shared import triton_interpreter

        triton_interpreter.correct()
    with tempfile.TemporaryDirectory(prefix="debug-") as folder:
        tempfile.tempdir = folder  # what is compiled lies there, and goes with it
        host = Host(exercise, text, device, LocalWorkers(index))
        counted = tuple(c for c in exercise.efficiency if c.name == case)
        if counted:
            return _count(exercise.model_copy(update={"efficiency": counted}), host, seed)
        return run_tests(exercise, host, Options(seed=seed, only=case, progress=_announce))


def _count(exercise: Exercise, host: Host, seed: int) -> list[Setting]:
    """The efficiency cases, told as settings of a test."""
    from grader.efficiency import count

    found = count(exercise, host, seed, _announce)
    return [
        Setting(case.name, case.name, "", case.points, Visibility.FULL, False, mark(case, found[case.name]).finding)
        for case in exercise.efficiency
    ]


class LocalWorkers:
    """Stands for the workers: every session is this process."""

    def __init__(self, device_index: int) -> None:
        """Nothing is started."""
        self.device_index = device_index

    def sandboxes(self) -> LocalWorkers:
        """None: this process is not kept apart."""
        return self

    def open(self, exercise: Exercise, device: str) -> LocalSession:
        """A session without a process."""
        return LocalSession(exercise, device)

    def runtime(self) -> str:
        """The user's own cache."""
        compiler.prepare_cpu(cache_folder())
        return str(cache_folder())

    def close(self) -> None:
        """Nothing to end."""


class LocalSession:
    """Asks the worker's code directly; there are no limits."""

    alive = True

    def __init__(self, exercise: Exercise, device: str) -> None:
        """The file is loaded where it lies, so that a debugger shows it."""
        self._exercise = exercise
        self._callback: Callable[[dict[str, Any]], dict[str, Any]] | None = None
        self._child = Child(Remote(self._exchange), device)

    def ask(
        self,
        request: dict[str, Any],
        descriptors: Sequence[int] = (),
        *,
        seconds: float,
        callback: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        lent_bytes: int = 0,
    ) -> dict[str, Any]:
        """The reply of the worker's code."""
        self._callback = callback
        if request["op"] == "load" and not self._exercise.is_cuda:
            request = {**request, "path": str(self._exercise.student_file)}
        return self._child.answer(request, [os.dup(descriptor) for descriptor in descriptors])

    def take_output(self) -> str:
        """Nothing: what is printed has appeared already."""
        return ""

    def discard(self) -> None:
        """Nothing to end."""

    def _exchange(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._callback is not None
        return self._callback(question)


def _announce(case: str) -> None:
    print(f"--- {case}", flush=True)


def _show(console: Console, setting: Setting) -> None:
    finding = setting.finding
    console.print(f"{setting.name}: {finding.status.value}", highlight=False, markup=False)
    for part in (finding.summary, finding.details, finding.diagnosis, *finding.lines):
        if part:
            console.print(f"    {part}", markup=False, highlight=False)
