"""The exercise `benchmark_function` judges real submissions: every right way passes, every wrong one is told why."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.boundary.workers import Workers
from grader.exercise import Exercise
from grader.grade import Target, grade
from grader.loading import load
from grader.report import ExerciseReport

ROOT = Path(__file__).parent.parent
EXERCISE = load(ROOT / "exercises" / "benchmark_function")


@dataclass(frozen=True)
class Written:
    """A submission, put together of what differs between one and the next."""

    before: str = "torch.cuda.synchronize()"  # before the first reading of a trial
    start: str = "start = clock()"
    after: str = "torch.cuda.synchronize()"
    stop: str = "times.append((clock() - start) * 1e3)"
    clock: str = "time.perf_counter"
    warm_up: str = "for _ in range(num_warmups): run()"
    imports: str = "pass"
    result: str = '{"times_ms": times, "mean_ms": sum(times) / len(times), "min_ms": min(times)}'
    run: str = "run()"

    def text(self) -> str:
        return f"""\
import math, time, timeit
import numpy as np
import torch
{self.imports}
clock = {self.clock}

def benchmark(description, run, num_warmups, num_trials):
    {self.warm_up}
    times = []
    for _ in range(num_trials):
        {self.before}
        {self.start}
        {self.run}
        {self.after}
        {self.stop}
    return {self.result}
"""


def in_nanoseconds(clock: str) -> Written:
    return Written(clock=clock, stop="times.append((clock() - start) / 1e6)")


EVENTS = Written(
    before="start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))",
    start="start.record()",
    after="end.record(); torch.cuda.synchronize()",
    stop="times.append(start.elapsed_time(end))",
)

IN_ONE = "lambda: (run(), torch.cuda.synchronize())"

RIGHT = {
    "perf_counter": Written(),
    "time, synchronised too often": Written(clock="time.time", after="torch.cuda.synchronize(); " * 4),
    "monotonic, imported by name": Written(imports="from time import monotonic", clock="monotonic"),
    "process_time_ns": in_nanoseconds("time.process_time_ns"),
    "clock_gettime": Written(clock="lambda: time.clock_gettime(time.CLOCK_MONOTONIC_RAW)"),
    "clock_gettime_ns": in_nanoseconds("lambda: time.clock_gettime_ns(time.CLOCK_REALTIME)"),
    "default_timer": Written(clock="timeit.default_timer"),
    "timeit.timeit": Written(
        start="pass", run=f"t = timeit.timeit({IN_ONE}, number=1)", after="times.append(t * 1e3)", stop=""
    ),
    "timeit.repeat": Written(
        result=f"(times := [t * 1e3 for t in timeit.repeat({IN_ONE}, repeat=num_trials, number=1)]) and "
        '{"times_ms": times, "mean_ms": sum(times) / len(times), "min_ms": min(times)}',
        start="break",
    ),
    "timeit.Timer, a string": Written(
        run='timer = timeit.Timer("run(); torch.cuda.synchronize()", "x = 1", globals={"run": run, "torch": torch})',
        start="pass",
        after="times.append(timer.timeit(1) * 1e3)",
        stop="pass",
    ),
    "timeit, a clock of one's own": Written(
        run=f"times.append(timeit.timeit({IN_ONE}, timer=time.monotonic_ns, number=1) / 1e6)",
        start="pass",
        stop="pass",
    ),
    "events": EVENTS,
    "events, waited for": Written(EVENTS.before, EVENTS.start, "end.record(); end.synchronize()", EVENTS.stop),
    "events, asked": Written(
        EVENTS.before, EVENTS.start, "end.record()\n        while not end.query(): pass", EVENTS.stop
    ),
    "an event of the stream": Written(
        before=EVENTS.before,
        start="torch.cuda.current_stream().record_event(start)",
        after="torch.cuda.current_stream().record_event(end).synchronize()",
        stop=EVENTS.stop,
    ),
    "stream, asked": Written(after="while not torch.cuda.current_stream().query(): pass"),
    "stream, asked now and then": Written(after="while not torch.cuda.default_stream().query(): time.sleep(1e-5)"),
    "stream, waited for": Written(after="torch.cuda.current_stream().synchronize()"),
    "accelerator, where torch has it": Written(
        imports="wait = torch.accelerator.synchronize if hasattr(torch, 'accelerator') else torch.cuda.synchronize",
        before="wait()",
        after="wait()",
    ),
    "a stream of its own": Written(
        imports="s = torch.cuda.Stream(); torch.cuda.init(); assert torch.cuda.get_device_name()",
        warm_up="for _ in range(num_warmups * torch.cuda.device_count()): run()",
        before="torch.cuda.empty_cache(); torch.cuda.reset_peak_memory_stats(); torch.cuda.synchronize()",
        run="with torch.cuda.device(0), torch.cuda.stream(s): run()",
        after="s.synchronize()",
    ),
    "rounded": Written(
        imports="import statistics",
        stop="times.append(round((clock() - start) * 1e3, 3))",
        result='{"times_ms": times, "mean_ms": round(statistics.mean(times), 3), "min_ms": round(min(times), 3)}',
    ),
    "two digits": Written(
        stop="times.append(round((clock() - start) * 1e3, 2))",
        result='{"times_ms": times, "mean_ms": round(np.mean(times).item(), 2), "min_ms": min(times)}',
    ),
    "from tensors": Written(
        result='(t := torch.tensor(times)) is not None and {"times_ms": t.tolist(), "mean_ms": float(t.mean()), '
        '"min_ms": t.min().item()}'
    ),
    "numpy's numbers": Written(
        result='{"times_ms": list(np.array(times)), "mean_ms": np.mean(times), "min_ms": np.min(times)}'
    ),
    "OrderedDict": Written(
        imports="import collections",
        result="collections.OrderedDict(times_ms=times, mean_ms=sum(times) / len(times), min_ms=min(times))",
    ),
}

WRONG = {
    "no synchronise after": (Written(after="pass"), "incorrect", "synchronise after run()"),
    "no synchronise before": (Written(before="pass"), "incorrect", "before the clock starts"),
    "clock before synchronise": (
        Written(before="start = clock()", start="torch.cuda.synchronize()"),
        "incorrect",
        "before the clock starts",
    ),
    "datetime": (
        Written(
            imports="import datetime",
            clock="datetime.datetime.now",
            stop="times.append((clock() - start).total_seconds() * 1e3)",
        ),
        "incorrect",
        "No simulated clock was read",
    ),
    "seconds": (Written(stop="times.append(clock() - start)"), "incorrect", "its unit"),
    "negative": (Written(stop="times.append((start - clock()) * 1e3)"), "incorrect", "negative"),
    "halved": (Written(stop="times.append((clock() - start) * 500)"), "incorrect", "in the right order"),
    "accumulated": (
        Written(
            warm_up="first = []\n    for _ in range(num_warmups): run()",
            start="first = first or [clock()]",
            stop="times.append((clock() - first[0]) * 1e3)",
        ),
        "incorrect",
        "holds the trials before",
    ),
    "once more for each trial": (Written(run="run(); run()"), "incorrect", "Each trial is one call"),
    "another clock beside": (
        Written(
            imports="import datetime",
            start="clock(); start = datetime.datetime.now()",
            stop="clock(); times.append((datetime.datetime.now() - start).total_seconds())",
        ),
        "incorrect",
        "README.md names",
    ),
    "timeit, not waited for": (
        Written(run="t = timeit.timeit(run, number=1)", start="pass", after="times.append(t * 1e3)", stop="pass"),
        "incorrect",
        "synchronise after run()",
    ),
    "the first element of a tensor": (
        Written(result='{"times_ms": list(torch.tensor(times)), "mean_ms": 1.0, "min_ms": 1.0}'),
        "incorrect",
        "a Tensor at position 0",
    ),
    "slept": (Written(after="time.sleep(1)"), "incorrect", "Sleeping is no synchronisation"),
    "sleeps a negative time": (Written(after="time.sleep(-1)"), "runtime_error", "sleep length must be non-negative"),
    "sleeps for ever": (Written(after="time.sleep(math.inf)"), "runtime_error", "OverflowError"),
    "sleeps an object": (Written(after="time.sleep(object())"), "runtime_error", "object"),
    "record as a value": (
        Written(EVENTS.before, EVENTS.start, "end = end.record(); torch.cuda.synchronize()", EVENTS.stop),
        "runtime_error",
        "NoneType",
    ),
    "elapsed to an object": (
        Written(EVENTS.before, EVENTS.start, "end = object()", EVENTS.stop),
        "runtime_error",
        "torch.cuda.Event",
    ),
    "event without timing": (
        Written("start, end = torch.cuda.Event(), torch.cuda.Event()", *(EVENTS.start, EVENTS.after, EVENTS.stop)),
        "runtime_error",
        "enable_timing",
    ),
    "end recorded first": (
        Written(EVENTS.before, "start.record(); end.record()", "torch.cuda.synchronize()", EVENTS.stop),
        "incorrect",
        "another one right after",
    ),
    "first event waited for": (
        Written("e = torch.cuda.Event(); torch.cuda.synchronize(); e.record()", after="e.synchronize()"),
        "incorrect",
        "record the event after run()",
    ),
    "a number without end": (
        Written(result='{"times_ms": [10**4000] * num_trials, "mean_ms": 1.0, "min_ms": 1.0}'),
        "incorrect",
        "too large for a time at position 0",
    ),
    "a string": (
        Written(result='{"times_ms": [1.0, 2.0, "3"], "mean_ms": 1.0, "min_ms": 1.0}'),
        "incorrect",
        "a str at position 2",
    ),
    "NaN": (
        Written(result='{"times_ms": [math.nan] * num_trials, "mean_ms": 1.0, "min_ms": 1.0}'),
        "incorrect",
        "NaN at position 0",
    ),
    "a boolean": (Written(result='{"times_ms": times, "mean_ms": True, "min_ms": 1.0}'), "incorrect", "found a bool"),
    "no minimum": (Written(result='{"times_ms": times, "mean_ms": 1.0}'), "incorrect", "a dict without min_ms"),
    "an array": (
        Written(result='{"times_ms": np.array(times), "mean_ms": 1.0, "min_ms": 1.0}'),
        "incorrect",
        "tolist()",
    ),
    "a wrong mean": (
        Written(result='{"times_ms": times, "mean_ms": sum(times), "min_ms": min(times)}'),
        "incorrect",
        "the mean of",
    ),
}


@pytest.fixture(scope="module")
def visible(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    """The exercise as a student has it, without its hidden tests."""
    copy = tmp_path_factory.mktemp("exercises") / EXERCISE.name
    shutil.copytree(ROOT / "exercises" / EXERCISE.name, copy, ignore=shutil.ignore_patterns("hidden", "__pycache__"))
    return load(copy)


def judged(exercise: Exercise, written: Written, workers: Workers, folder: Path) -> ExerciseReport:
    path = folder / exercise.file
    path.write_text(written.text(), encoding="utf-8")
    return grade([exercise], [path], Target("cpu"), workers=workers).exercises[0]


def said(report: ExerciseReport) -> str:
    return "\n".join(f"{c.name} [{c.status.value}] {c.message} | {c.diagnosis} {c.lines}" for c in report.cases)


@pytest.mark.parametrize("written", RIGHT.values(), ids=RIGHT)
def test_right(written: Written, workers: Workers, tmp_path: Path) -> None:
    report = judged(EXERCISE, written, workers, tmp_path)
    assert report.points == report.max_points, said(report)


@pytest.mark.parametrize(("written", "status", "word"), WRONG.values(), ids=WRONG)
def test_wrong(written: Written, status: str, word: str, visible: Exercise, workers: Workers, tmp_path: Path) -> None:
    report = judged(visible, written, workers, tmp_path)
    first = next(case for case in report.cases if case.status.value == status)
    assert report.status.value == status, said(report)
    assert report.points == 0 or status == "incorrect"
    assert word in f"{first.message} {first.diagnosis}", said(report)
