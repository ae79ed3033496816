"""What a case's attempts make of full memory and a busy GPU; nothing is timed here."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from grader.boundary.replies import Raised
from grader.exercise import PerformanceCase
from grader.loading import load
from grader.records import Failure, Finding
from grader.rules import Called
from grader.status import Status
from grader.timing.measurement import Job, Kernel
from tests.test_timing import exact, measured

with pytest.MonkeyPatch.context() as patch:
    if importlib.util.find_spec("cuda") is None:  # nothing of it is called here
        patch.setitem(sys.modules, "cuda", ModuleType("cuda"))
        patch.setitem(sys.modules, "cuda.bindings", SimpleNamespace(driver=None, runtime=None))  # type: ignore[arg-type]
    from grader.timing import process
    from grader.timing import stage as module
    from grader.timing.race import NotMeasured
    from grader.timing.stage import Stage, _Busy
    from shared import cuda_ipc


DOUBLE = load(Path(__file__).parent / "content/exercises/double")
CASES = tuple(
    PerformanceCase(name=name, points=4, arguments={"n": 1}, bound="memory", full_at=0.8, zero_at=0.4) for name in "ab"
)


class Quiet:
    def __init__(self, idle: bool = True) -> None:
        self.idle = idle

    def await_idle(self) -> None:
        if not self.idle:
            raise NotMeasured("GPU busy: other work runs on it")

    def stays_idle(self) -> bool:
        return self.idle


class Host:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def out_of_memory() -> Raised:
    finding = Finding(Status.RUNTIME_ERROR, "raised OutOfMemoryError", "CUDA out of memory")
    return Raised(finding, "OutOfMemoryError", "CUDA out of memory")


def attempts(*outcomes: Any, idle: bool = True) -> tuple[Callable[[], Any], list[int], Host]:
    """A stage whose attempts end as they are told; the counts that were tried."""
    tried: list[int] = []
    ends: Iterator[Any] = iter(outcomes)

    def measure(plan: Any, count: int, submission: Any, baseline: Any) -> Any:
        tried.append(count)
        end = next(ends)
        if isinstance(end, Exception):
            raise end
        return end

    stage, host = object.__new__(Stage), Host()
    stage.__dict__.update(_measure=measure, _submission=host, _baseline=Host(), device=Quiet(idle))
    plan: Any = SimpleNamespace(count=100, bytes_at_least=1000)
    return (lambda: stage._attempts(plan)), tried, host


@pytest.fixture(autouse=True)
def no_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_opened", lambda host: None)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (10_000, 10_000))


def test_each_result_is_told_at_once_and_again_with_what_instruments_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = (Kernel("k", 1.0, 0.5),)
    fake = SimpleNamespace(
        exercise=DOUBLE,
        measure=lambda case: measured(exact(1.0)),
        inspect=lambda case, calls=2: (kernels, Called((), None)),
        close=lambda: closed.append(1),
    )
    closed: list[int] = []
    monkeypatch.setattr(process, "Stage", lambda *arguments: fake)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (9, 0))
    exercise = DOUBLE.model_copy(update={"performance": CASES})
    told = list(process.run(exercise, Job(text="", uuid=""), SimpleNamespace()))  # type: ignore[arg-type]
    assert [(result.name, result.kernels) for result in told] == [("a", ()), ("b", ()), ("a", kernels), ("b", kernels)]
    assert closed


def test_fewer_calls_where_memory_does_not_hold_them() -> None:
    run, tried, _ = attempts(out_of_memory(), torch.OutOfMemoryError("here"), "measured")
    assert run() == "measured"
    assert tried == [100, 25, 6]


def test_a_submission_that_does_not_fit_at_all_is_told() -> None:
    run, tried, _ = attempts(*(out_of_memory() for _ in range(9)))
    with pytest.raises(Failure) as caught:
        run()
    assert tried[-1] == 1
    assert "Not even one call" in caught.value.finding.diagnosis


def test_memory_that_the_submission_holds_is_not_nobodys_fault() -> None:
    run, _, host = attempts(*(torch.OutOfMemoryError("here") for _ in range(9)))
    with pytest.raises(Failure, match="holds so much"):
        run()
    assert host.closed


def test_a_device_without_room_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (10, 10))
    run, _, _ = attempts(*(torch.OutOfMemoryError("here") for _ in range(9)))
    with pytest.raises(torch.OutOfMemoryError):
        run()


def test_a_busy_device_gets_a_second_try_with_a_fresh_worker() -> None:
    run, tried, host = attempts(_Busy("busy", is_the_submissions=True), "measured")
    assert run() == "measured"
    assert (len(tried), host.closed) == (2, 1)


@pytest.mark.parametrize("idle", [True, False])
def test_only_what_keeps_the_device_busy_twice_and_is_idle_without_it_is_suspect(idle: bool) -> None:
    run, _, _ = attempts(_Busy("busy", True), _Busy("busy", True), idle=True)
    with pytest.raises(Failure) as caught:
        run()
    assert caught.value.finding.status is Status.SUSPECT
    stranger, _, _ = attempts(_Busy("busy", False), _Busy("busy", False), idle=idle)
    with pytest.raises(NotMeasured):
        stranger()


def test_a_neighbour_that_stays_is_nobodys_fault() -> None:
    run, _, _ = attempts(_Busy("busy", True), idle=False)
    with pytest.raises(NotMeasured, match="GPU busy"):
        run()


def test_where_memory_cannot_be_shared_it_travels_through_the_host() -> None:
    run, tried, _ = attempts(cuda_ipc.IpcError("cudaIpcGetMemHandle"), "measured")
    assert run() == "measured"
    assert tried == [100, 100]
