"""The pipeline: load → collect → start workers → correctness → compiled → efficiency → performance → judge → report.

exercises = choose(load_all(root), names)         grader/loading.py
submission = collect(exercise, path)              grader/submission.py
settings = correctness(exercise, submission, …)   grader/testing/, through grader/boundary/
settings = compiled(exercise, settings, …)        grader/compiler.py, without a GPU, for what is correct
counted = efficiency(exercise, settings, …)       grader/efficiency.py, on the CPU, for what is correct
timed = performance(exercise, settings, …)        grader/performance.py, on a GPU, for what is correct
report = judge(exercise, settings, …)             grader/judge.py
"""

from __future__ import annotations

import platform
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import __version__, requirements, rules
from grader.boundary.host import Host
from grader.boundary.server import is_compiled
from grader.boundary.workers import Workers
from grader.bounds import Counted
from grader.compiler import Compiler, applied
from grader.errors import GraderError, UsageError
from grader.exercise import Exercise
from grader.judge import failed_to_judge, judge, total
from grader.performance import Clock
from grader.records import Setting
from grader.report import Device, Environment, ExerciseReport, Report
from grader.status import Status
from grader.submission import Submission, collect
from grader.timing.measurement import CaseResult
from shared import machine
from shared.compiled_kernels import Compiled

Progress = Callable[[str, str], None]
"""Told the exercise and the case that starts."""


@dataclass(frozen=True)
class Target:
    """Where and how to grade."""

    device: str  # cpu or cuda
    device_index: int = 0
    seed: int = 0
    compare: bool = False  # time the other ways that an exercise defines, too


def choose_device(wanted: str) -> tuple[str, int]:
    """`auto`, `cpu`, `cuda` or `cuda:N` as (kind, index); raises UsageError when it is not there."""
    kind, _, number = wanted.partition(":")
    if kind not in ("auto", "cpu", "cuda") or (number and not (number.isascii() and number.isdigit())):
        raise UsageError(f"--device {wanted!r}: expected auto, cpu, cuda or cuda:N")
    count = machine.cuda_device_count()
    if kind == "auto":
        return ("cuda" if count and requirements.torch_has_cuda() else "cpu"), 0
    index = int(number or 0)
    if kind == "cuda" and index >= count:
        raise UsageError(f"--device {wanted}: this machine has {count} GPUs; see `doctor`")
    if kind == "cuda" and not requirements.torch_has_cuda():
        raise UsageError("--device cuda: the installed torch is a CPU build; see `doctor`")
    return kind, index


def grade(
    exercises: Sequence[Exercise],
    paths: Sequence[Path],
    target: Target,
    progress: Progress = lambda exercise, case: None,
    workers: Workers | None = None,
) -> Report:
    """Grade one file per exercise. `workers` may be shared between runs; otherwise they end with this one."""
    if workers is None:
        with Workers(target.device_index) as own:
            return grade(exercises, paths, target, progress, own)
    submissions = [collect(e, path) for e, path in zip(exercises, paths, strict=True)]
    for exercise, submission in zip(exercises, submissions, strict=True):
        if _will_run(exercise, submission, target):
            workers.prepare(exercise, target.device)
    reports = []
    for exercise, submission in zip(exercises, submissions, strict=True):
        reports.append(grade_one(exercise, submission, target, progress, workers))
    return total(reports, device_of(target), environment(workers.level.value), target.seed)


def grade_one(
    exercise: Exercise,
    submission: Submission,
    target: Target,
    progress: Progress,
    workers: Workers,
) -> ExerciseReport:
    """One exercise; a fault of ours becomes its report, and the next exercise goes on."""
    try:
        return judged(exercise, submission, target, progress, workers)
    except GraderError as error:
        return failed_to_judge(exercise, str(error))
    except Exception:
        return failed_to_judge(exercise, traceback.format_exc())


def judged(
    exercise: Exercise,
    submission: Submission,
    target: Target,
    progress: Progress,
    workers: Workers,
    observer: Callable[[Any], None] | None = None,
) -> ExerciseReport:
    """The whole pipeline for one exercise; the timing process and the compiler start beside the tests."""
    with (
        clock(exercise, submission, target, workers) as timer,
        compiler(exercise, submission, target, workers) as compiling,
    ):
        with hosted(exercise, submission, target.device, workers) as host:
            settings = correctness(exercise, submission, host, target, progress, observer)
            settings, kernels = compiled(exercise, submission, settings, compiling)
            counted = efficiency(exercise, submission, settings, host, target, progress, workers)
        timed = performance(exercise, submission, settings, target, progress, timer)
        source = submission.text if exercise.own_kernel else ""
        return judge(exercise, settings, target.device, timed, source, counted, kernels)


def hosted(exercise: Exercise, submission: Submission, device: str, workers: Workers) -> AbstractContextManager[Host]:
    """The submission's workers; leaving the context ends them."""
    return closing(Host(exercise, submission.text, device, workers))


def correctness(
    exercise: Exercise,
    submission: Submission,
    host: Host,
    target: Target,
    progress: Progress,
    observer: Callable[[Any], None] | None = None,
) -> list[Setting]:
    """Run the exercise's tests against the submission; `observer` is told of comparisons that passed."""
    from grader.testing.run import Options, run_tests

    preset = submission.finding or requirements.missing(exercise, target.device)
    options = Options(
        seed=target.seed,
        preset=preset,
        observer=observer,
        progress=lambda case: progress(exercise.name, case),
    )
    return rules.applied(exercise, run_tests(exercise, host, options))


def efficiency(
    exercise: Exercise,
    submission: Submission,
    settings: Sequence[Setting],
    host: Host,
    target: Target,
    progress: Progress,
    workers: Workers,
) -> dict[str, Counted]:
    """Count what a correct submission moves: on the CPU, in the worker of the tests where they ran there."""
    if not exercise.efficiency or not is_fine(settings):
        return {}
    from grader.efficiency import count, not_measured

    lack = requirements.missing(exercise, "cpu")
    if lack is not None:
        return {case.name: not_measured(lack) for case in exercise.efficiency}
    with nullcontext(host) if host.device == "cpu" else hosted(exercise, submission, "cpu", workers) as on_cpu:
        return count(exercise, on_cpu, target.seed, lambda case: progress(exercise.name, case))


def compiler(
    exercise: Exercise, submission: Submission, target: Target, workers: Workers
) -> AbstractContextManager[Compiler | None]:
    """A GPU's compiler, at work beside the tests; nothing where a GPU will tell, or no file can run."""
    if not is_compiled(exercise, target.device) or not _will_run(exercise, submission, target):
        return nullcontext()
    return Compiler(exercise, submission.text, target.seed, workers)


def compiled(
    exercise: Exercise, submission: Submission, settings: list[Setting], compiling: Compiler | None
) -> tuple[list[Setting], Compiled]:
    """What the compiler says of what has passed on the CPU, and its kernels."""
    if compiling is None or not any(setting.finding.status is Status.PASSED for setting in settings):
        return settings, Compiled()
    found = compiling.result()
    return applied(exercise, settings, found, submission.text), found


def clock(
    exercise: Exercise, submission: Submission, target: Target, workers: Workers
) -> AbstractContextManager[Clock | None]:
    """The timing process, started beside the tests; nothing where no speed will be judged."""
    will_run = _will_run(exercise, submission, target)
    if target.device != "cuda" or not exercise.performance or not will_run or requirements.missing_for_timing():
        return nullcontext()
    return Clock(exercise, target.device_index, workers.level)


def _will_run(exercise: Exercise, submission: Submission, target: Target) -> bool:
    """Whether there is a file to run, and all that it takes."""
    return submission.finding is None and requirements.missing(exercise, target.device) is None


FINE = (Status.PASSED, Status.NOT_MEASURED)


def is_fine(settings: Sequence[Setting]) -> bool:
    """Whether everything is right that could be tested."""
    return all(setting.finding.status in FINE for setting in settings)


def performance(
    exercise: Exercise,
    submission: Submission,
    settings: Sequence[Setting],
    target: Target,
    progress: Progress,
    timer: Clock | None,
) -> list[CaseResult]:
    """Time what is correct, on a GPU."""
    if target.device != "cuda" or not is_fine(settings) or not exercise.performance:
        return []
    if timer is None:
        return _for_every_case(exercise, Status.NOT_MEASURED, requirements.missing_for_timing())
    return timer.measure(submission.text, target.compare, lambda what: progress(exercise.name, what))


def _for_every_case(exercise: Exercise, status: Status, message: str) -> list[CaseResult]:
    return [CaseResult(name=case.name, status=status, message=message) for case in exercise.performance]


def device_of(target: Target) -> Device:
    """What the report says of the device."""
    if target.device == "cuda":
        return Device(kind="cuda", name=machine.cuda_device_name(target.device_index))
    return Device(kind="cpu", name=machine.cpu_name())


def environment(isolation: str) -> Environment:
    """What the report says of the software, and of what stood between the submission and this machine."""
    return Environment(
        grader=__version__,
        python=platform.python_version(),
        torch=requirements.installed_version("torch"),
        triton=requirements.installed_version("triton"),
        platform=platform.system(),
        isolation=isolation,
    )
