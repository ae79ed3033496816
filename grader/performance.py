"""The performance step of the pipeline: run the timing process for one submission, one at a time on a device."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

from grader.boundary.workers import ROOT, visible_device
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.timing import lock
from grader.timing.measurement import CaseResult, Job
from shared import machine

START_S = 300.0
"""Seconds for the process to start, build and measure everything of one exercise."""


def measure(
    exercise: Exercise, text: str, device_index: int, seed: int, progress: Callable[[str], None]
) -> list[CaseResult]:
    """Every performance case of the exercise; raises GraderError when the process itself fails."""
    uuid = machine.cuda_uuid(device_index)
    with lock.exclusive(uuid, lambda: progress("waiting for the GPU: another timing is running on it")):
        job = Job(folder=exercise.folder, text=text, seed=seed, uuid=uuid)
        return _run(job, device_index, progress)


def _run(job: Job, device_index: int, progress: Callable[[str], None]) -> list[CaseResult]:
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.timing"],
        cwd=ROOT,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": visible_device(device_index)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    progress("timing")
    try:
        out, err = process.communicate(job.model_dump_json(), timeout=START_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise GraderError(f"timing took more than {START_S:g} s") from None
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if process.returncode != 0:
        raise GraderError(f"the timing process ended with {process.returncode}:\n{err[-2000:]}")
    return [CaseResult.model_validate(json.loads(line)) for line in out.splitlines()]
