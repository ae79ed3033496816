"""The performance step of the pipeline: the timing process of one submission, one at a time on a device.

The process is started beside the correctness tests, since it and its workers need seconds to import torch and to make
their contexts; it measures when it gets its job.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType

from grader.boundary.sandbox import Level
from grader.boundary.workers import ROOT, visible_device
from grader.exercise import SOLUTIONS, Exercise
from grader.status import Status
from grader.timing import lock
from grader.timing.measurement import CaseResult, Job
from shared import machine

LIMIT_S = 900.0
"""Seconds for the process to build and measure everything of one exercise; a submission's own are bounded there."""
END_S = 10.0


class Clock:
    """A timing process; leaving the context ends it."""

    def __init__(self, exercise: Exercise, device_index: int, level: Level) -> None:
        """Start the process; its workers live in sandboxes of this level."""
        self._exercise = exercise
        solution = exercise.folder.parents[1] / SOLUTIONS / exercise.name / exercise.file
        self._solution = solution.read_text("utf-8") if solution.is_file() else ""
        self._uuid = machine.cuda_uuid(device_index)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.timing", str(exercise.folder.resolve()), level.value],
            cwd=ROOT,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": visible_device(device_index)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Clock:
        """The clock itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process, which ends its workers."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.communicate(timeout=END_S)
        except subprocess.TimeoutExpired:  # in the middle of a call into the driver
            self._process.kill()
            self._process.communicate()

    def measure(
        self, text: str, compare: bool, progress: Callable[[str], None], limit_s: float = LIMIT_S
    ) -> list[CaseResult]:
        """Every performance case of the exercise; what the process fails to time is `grader_error`.

        To `compare` is to time the other ways that the exercise defines, too, which may compile for long.
        """
        with lock.exclusive(self._uuid, lambda: progress("waiting for the GPU: another timing is running on it")):
            progress("timing")
            job = Job(text=text, uuid=self._uuid, compare=compare, solution=self._solution)
            out, problem = self._finish(job, limit_s)
        lines = [CaseResult.model_validate(json.loads(line)) for line in out.splitlines() if line.endswith("}")]
        results = {result.name: result for result in lines}  # a later line says more
        missing = [case.name for case in self._exercise.performance if case.name not in results]
        lost = [CaseResult(name=name, status=Status.GRADER_ERROR, message=problem) for name in missing]
        return [*results.values(), *lost]

    def _finish(self, job: Job, limit_s: float) -> tuple[str, str]:
        """What the process wrote, and what became of it if it did not end well."""
        try:
            out, err = self._process.communicate(job.model_dump_json(), timeout=limit_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.communicate()[0], f"timing took more than {limit_s:g} s"
        code = self._process.returncode
        return out, f"the timing process ended with {code}:\n{err[-2000:]}" if code else "no result"
