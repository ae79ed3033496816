"""One submission and its sessions, on a simulated GPU: sessions that stand, break, and are given back once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.boundary.host import MAX_DEATHS, Host
from grader.exercise import Exercise
from grader.loading import load
from grader.records import PASSED, Finding
from grader.status import Status

CONTENT = Path(__file__).parent / "content/exercises"


class FakeSession:
    def __init__(self) -> None:
        self.alive = True
        self.discarded = 0

    def ask(
        self,
        request: dict[str, Any],
        descriptors: Sequence[int] = (),
        *,
        seconds: float,
        callback: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        lent_bytes: int = 0,
    ) -> dict[str, Any]:
        return {"op": "loaded"}

    def take_output(self) -> str:
        return ""

    def discard(self) -> None:
        assert not self.discarded, "given back twice"
        self.discarded += 1


class FakeWorkers:
    device_index = 0

    def __init__(self) -> None:
        self.opened: list[FakeSession] = []

    def open(self, exercise: Exercise, device: str) -> FakeSession:
        self.opened.append(FakeSession())
        return self.opened[-1]

    def sandboxes(self) -> FakeWorkers:
        return self

    def runtime(self) -> str:
        return ""

    def close(self) -> None:
        pass


@pytest.fixture
def workers() -> FakeWorkers:
    return FakeWorkers()


def host(workers: FakeWorkers, device: str) -> Host:
    return Host(load(CONTENT / "double"), "def double(x): ...", device, workers)


def test_on_a_cpu_each_setting_has_its_own_session(workers: FakeWorkers) -> None:
    made = host(workers, "cpu")
    for _ in range(3):
        made.done(made.open("cpu", [], None))
    made.close()
    assert [session.discarded for session in workers.opened] == [1, 1, 1]


def test_on_a_gpu_one_session_stands_until_it_breaks(workers: FakeWorkers) -> None:
    made = host(workers, "cuda")
    first = made.open("cuda", [], None)
    made.done(first)
    assert made.open("cuda", [], None) is first
    workers.opened[0].alive = False
    made.done(first)
    assert made.open("cuda", [], None) is not first
    made.close()
    assert [session.discarded for session in workers.opened] == [1, 1]


def test_a_session_that_breaks_in_the_last_setting_is_given_back_once(workers: FakeWorkers) -> None:
    made = host(workers, "cuda")
    session = made.open("cuda", [], None)
    workers.opened[0].alive = False
    made.done(session)
    made.close()
    assert workers.opened[0].discarded == 1


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.CRASHED, Status.MEMORY_ERROR])
def test_after_two_deaths_of_one_kind_the_rest_is_not_run(workers: FakeWorkers, status: Status) -> None:
    made = host(workers, "cpu")
    for _ in range(MAX_DEATHS):
        assert made.blocked() is None
        made.count(PASSED)
        made.count(Finding(status, "died"))
    blocked = made.blocked()
    assert blocked is not None
    assert blocked.status is Status.NOT_RUN
    assert blocked.costs_points


def test_when_the_time_is_used_up_the_rest_is_not_run(workers: FakeWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    made = host(workers, "cpu")
    now = time.monotonic() + 10_000  # that its worker was long in coming costs the submission nothing
    monkeypatch.setattr("grader.boundary.host.time.monotonic", lambda: now)
    made.done(made.open("cpu", [], None))
    assert made.blocked() is None
    now += made.exercise.limits.wall_s + 1
    blocked = made.blocked()
    assert blocked is not None
    assert blocked.summary == "not run: the exercise's 900 s are used up"


def test_two_deaths_of_different_kinds_do_not_block(workers: FakeWorkers) -> None:
    made = host(workers, "cpu")
    made.count(Finding(Status.TIMEOUT, "x"))
    made.count(Finding(Status.CRASHED, "x"))
    assert made.blocked() is None
