"""The clock on a real GPU: cheats are caught or gain nothing, faults get a clear status, strangers are noticed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.boundary.workers import Workers
from grader.exercise import Exercise
from grader.loading import load
from grader.records import Failure
from grader.status import Status
from grader.timing.measurement import HOST_COPIES, Measurement
from shared import machine

FOLDER = Path(__file__).parents[1] / "timing"
CHEATS = sorted((FOLDER / "cheats").glob("*.py"))
HONEST = (FOLDER / "honest.py").read_text()

NO_GAIN = 0.97
"""Of an honest call's time: what is not caught may not be faster than this."""

pytestmark = pytest.mark.gpu


@dataclass(frozen=True)
class Outcome:
    status: Status
    time_ms: float
    text: str


class Track:
    """One stage for all files, and the time of an honest call."""

    def __init__(self, exercise: Exercise, workers: Workers) -> None:
        from grader.timing.stage import Stage

        self.exercise = exercise
        self.stage = Stage(exercise, HONEST, workers, machine.cuda_uuid())
        self.honest = self.measured()

    def measured(self) -> Measurement:
        return self.stage.measure(self.exercise.performance[0])

    def outcome(self, text: str) -> Outcome:
        from grader.timing.race import NotMeasured

        self.stage.replace(text)
        try:
            return Outcome(Status.PASSED, self.measured().time_ms.median, "")
        except Failure as error:
            return Outcome(error.finding.status, 0.0, f"{error.finding.summary} {error.finding.diagnosis}")
        except NotMeasured as error:
            return Outcome(Status.NOT_MEASURED, 0.0, str(error))


@pytest.fixture(scope="module")
def track() -> Iterator[Track]:
    exercise = load(FOLDER / "exercises/softmax")
    with Workers() as workers:
        workers.prepare(exercise, "cuda", count=len(CHEATS) + 12)
        found = Track(exercise, workers)
        yield found
        found.stage.close()


@pytest.mark.parametrize("file", CHEATS, ids=lambda file: file.stem)
def test_a_cheat_is_caught_or_gains_nothing(file: Path, track: Track) -> None:
    found = track.outcome(file.read_text())
    share = found.time_ms / track.honest.time_ms.median
    print(f"\n{file.stem:30} {found.status.value:14} {share:6.2f}  {found.text[:110]}")
    assert found.status not in (Status.NOT_MEASURED, Status.GRADER_ERROR), found
    assert found.status is not Status.PASSED or share >= NO_GAIN, found


def fault(name: str) -> str:
    return (FOLDER / f"faults/{name}.py").read_text()


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("empties_the_cache", Status.RUNTIME_ERROR, "empty_cache"),
        ("empties_the_cache_once", Status.PASSED, ""),
        ("leaks", Status.RUNTIME_ERROR, "kept"),
        ("needs_much_memory", Status.PASSED, ""),
        ("needs_too_much_memory", Status.RUNTIME_ERROR, "Not even one call"),
        ("slower_with_each_call", Status.PASSED, ""),
        ("wrong_on_large_inputs", Status.INCORRECT, "timed call"),
        ("raises_late", Status.RUNTIME_ERROR, "ValueError"),
        ("holds_memory", Status.RUNTIME_ERROR, "memory"),
        ("says_out_of_memory", Status.RUNTIME_ERROR, ""),
        ("sleeps", Status.TOO_SLOW, "one call takes"),
        ("returns_its_input", Status.INCORRECT, "its input"),
    ],
)
def test_a_fault_gets_a_clear_status(name: str, status: Status, words: str, track: Track) -> None:
    found = track.outcome(fault(name))
    print(f"\n{name:30} {found.status.value:14} {found.time_ms / track.honest.time_ms.median:6.2f}  {found.text[:160]}")
    assert found.status is status, found
    assert words in found.text


def test_a_worker_that_dies_before_the_check_harms_nobody(track: Track, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its outputs lie in memory that goes with it."""
    from grader.timing.racer import GpuRacer

    track.stage.replace(HONEST)
    check = GpuRacer._wrong

    def after_death(racer: GpuRacer, addresses: list[int]) -> object:
        if not racer._trusted:
            os.kill(racer._session._worker, signal.SIGKILL)
            time.sleep(0.2)
        return check(racer, addresses)

    with monkeypatch.context() as patch:
        patch.setattr(GpuRacer, "_wrong", after_death)
        with pytest.raises(Failure) as caught:
            track.measured()
    assert caught.value.finding.status is Status.CRASHED
    track.stage.replace(HONEST)
    assert track.measured().time_ms.median == pytest.approx(track.honest.time_ms.median, rel=0.03)


def test_where_memory_cannot_be_shared_the_time_is_shown(track: Track, monkeypatch: pytest.MonkeyPatch) -> None:
    """It travels through host memory: checked all the same, and no marks are given."""
    monkeypatch.setattr(track.stage, "shares_memory", False)
    track.stage.replace(HONEST)
    found = track.measured()
    assert found.memory == HOST_COPIES
    assert found.time_ms.median == pytest.approx(track.honest.time_ms.median, rel=0.1)
    assert track.outcome(fault("wrong_on_large_inputs")).status is Status.INCORRECT


def test_the_kernels_of_a_call_are_seen(track: Track) -> None:
    track.stage.replace(HONEST)
    track.measured()
    (kernel,), _ = track.stage.inspect(track.exercise.performance[0])
    assert "softmax" in kernel.function.lower()
    assert kernel.time_ms == pytest.approx(track.honest.time_ms.median, rel=0.05)


STRANGER = """
import os, sys, time, torch
a = torch.zeros(1 << 28, dtype=torch.uint8, device="cuda"); b = torch.empty_like(a)
print("ready", flush=True)
while True:
    b.copy_(a)
    torch.cuda.synchronize()
"""


def test_a_stranger_on_the_device_is_noticed(track: Track) -> None:
    """Another process copies all the time: not measured, and said why; nobody loses points."""
    with subprocess.Popen([sys.executable, "-c", STRANGER], stdout=subprocess.PIPE, text=True) as stranger:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == "ready\n"
        try:
            found = track.outcome(HONEST)
        finally:
            os.kill(stranger.pid, signal.SIGKILL)
    assert found.status is Status.NOT_MEASURED, found
    assert "busy" in found.text
    track.stage.replace(HONEST)
    assert track.measured().time_ms.median == pytest.approx(track.honest.time_ms.median, rel=0.03)
