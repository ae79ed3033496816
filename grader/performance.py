"""The performance step of the pipeline: the timing process of one submission, one at a time on a device.

The process is started beside the correctness tests, since it needs seconds to import torch; it touches the GPU only
when it gets its job.
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
from grader.errors import GraderError
from grader.exercise import SOLUTIONS, Exercise
from grader.timing import lock
from grader.timing.measurement import CaseResult, Job
from shared import machine

LIMIT_S = 300.0
"""Seconds for the process to build and measure everything of one exercise."""


class Clock:
    """A timing process; leaving the context ends it."""

    def __init__(self, exercise: Exercise, device_index: int, level: Level) -> None:
        """Start the process; its workers live in sandboxes of this level."""
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
        self._process.communicate()

    def measure(
        self, text: str, compare: bool, progress: Callable[[str], None], limit_s: float = LIMIT_S
    ) -> list[CaseResult]:
        """Every performance case of the exercise; raises GraderError when the process itself fails.

        To `compare` is to time the other ways that the exercise defines, too, which may compile for long.
        """
        with lock.exclusive(self._uuid, lambda: progress("waiting for the GPU: another timing is running on it")):
            progress("timing")
            job = Job(text=text, uuid=self._uuid, compare=compare, solution=self._solution)
            try:
                out, err = self._process.communicate(job.model_dump_json(), timeout=limit_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                raise GraderError(f"timing took more than {limit_s:g} s") from None
        if self._process.returncode != 0:
            raise GraderError(f"the timing process ended with {self._process.returncode}:\n{err[-2000:]}")
        return [CaseResult.model_validate(json.loads(line)) for line in out.splitlines()]
