"""All timing of one submission, in a process of its own.

The process has a CUDA context of its own, so whatever a submission does to memory that it shares, the next one is
measured by a fresh context. It is trusted: what it says is the grader's word.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

import torch

from grader import rules
from grader.boundary.workers import Workers
from grader.exercise import Exercise, PerformanceCase
from grader.records import Failure, Finding
from grader.status import Status
from grader.timing.measurement import CaseResult, Job
from grader.timing.race import NotMeasured
from grader.timing.stage import Stage
from shared import cuda_ipc


def run(exercise: Exercise, job: Job, workers: Workers) -> Iterator[CaseResult]:
    """Time every performance case of the exercise: a result each, and the same again with what instruments saw."""
    try:
        stage = Stage(exercise, job.text, workers, job.uuid)
    except NotMeasured as error:
        yield from (_without(case, Status.NOT_MEASURED, str(error)) for case in exercise.performance)
        return
    try:
        stage.compare, stage.solution = job.compare, job.solution
        results = []
        for case in exercise.performance:
            results.append(timed(stage, case))
            yield results[-1]  # now, so that it is there whatever comes next
        for case, result in zip(exercise.performance, results, strict=True):
            if result.measurement is not None:
                yield _inspected(stage, case, result, job.text)
    finally:
        stage.close()


def timed(stage: Stage, case: PerformanceCase) -> CaseResult:
    """A measurement, or why there is none."""
    major, minor = torch.cuda.get_device_capability()
    if major + minor / 10 < case.compute_capability:
        text = f"needs compute capability {case.compute_capability}; this device has {major}.{minor}"
        return _without(case, Status.NOT_MEASURED, text)
    try:
        return CaseResult(name=case.name, measurement=stage.measure(case))
    except Failure as error:
        return _found(case, error.finding)
    except NotMeasured as error:
        return _without(case, Status.NOT_MEASURED, str(error))
    except cuda_ipc.IpcError as error:
        return _without(case, Status.NOT_MEASURED, f"memory cannot be shared here: {error}")
    except torch.OutOfMemoryError:
        return _without(case, Status.NOT_MEASURED, "not enough free memory on this device")
    except Exception:
        text = "the timing itself failed; this is not your fault"
        return _without(case, Status.GRADER_ERROR, text, traceback.format_exc()[-2000:])


def _inspected(stage: Stage, case: PerformanceCase, result: CaseResult, text: str) -> CaseResult:
    """What the worker's instruments say beside the measurement, and whether it breaks a rule at this size.

    What goes wrong with them takes nothing from the measurement.
    """
    try:
        kernels, called = stage.inspect(case)
    except Exception:
        return result
    broken = rules.broken(stage.exercise, [called], text)
    if broken is not None:
        return _found(case, broken)
    return result.model_copy(update={"kernels": kernels})


def _without(case: PerformanceCase, status: Status, message: str, details: str = "") -> CaseResult:
    return CaseResult(name=case.name, status=status, message=message, details=details)


def _found(case: PerformanceCase, finding: Finding) -> CaseResult:
    return CaseResult(
        name=case.name,
        status=finding.status,
        message=finding.summary,
        details=finding.details,
        diagnosis=finding.diagnosis,
        lines=finding.lines,
    )
