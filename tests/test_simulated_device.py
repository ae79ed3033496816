"""The simulated device: a launch returns at once, only a synchronisation waits."""

from __future__ import annotations

import math
import pkgutil
import timeit
from typing import Any

import pytest
import torch

from shared.simulated_device import LAUNCH_US, SimulatedDevice


def elapsed_ms(device: SimulatedDevice, *steps: object) -> float:
    start = device.seconds()
    for step in steps:
        step()  # type: ignore[operator]
    return (device.seconds() - start) * 1e3


def test_without_synchronise_only_the_launch_is_measured() -> None:
    device = SimulatedDevice()
    run = device.workload([5.0])
    assert elapsed_ms(device, run) == pytest.approx(LAUNCH_US / 1e3, abs=0.001)


def test_with_synchronise_the_work_is_measured() -> None:
    device = SimulatedDevice()
    assert elapsed_ms(device, device.workload([5.0]), device.synchronize) == pytest.approx(5.0, rel=0.005)


def test_work_queues_up() -> None:
    device = SimulatedDevice()
    run = device.workload([5.0, 3.0])
    assert elapsed_ms(device, run, run, device.synchronize) == pytest.approx(8.0, rel=0.005)


def test_the_first_call_costs_the_host() -> None:
    device = SimulatedDevice()
    run = device.workload([1.0], first_call_ms=40.0)
    assert elapsed_ms(device, run) == pytest.approx(40.0, rel=0.005)
    assert elapsed_ms(device, run) < 0.1


def test_events_measure_the_stream() -> None:
    device = SimulatedDevice()
    event = device.replacements()["torch.cuda.Event"]
    start, end = event(enable_timing=True), event(enable_timing=True)
    start.record()
    device.workload([5.0])()
    end.record()
    assert not end.query()
    with pytest.raises(RuntimeError, match="not ready"):
        start.elapsed_time(end)
    end.synchronize()
    assert start.elapsed_time(end) == pytest.approx(5.0, rel=0.005)


def test_events_need_timing_and_a_record() -> None:
    event = SimulatedDevice().replacements()["torch.cuda.Event"]
    with pytest.raises(RuntimeError, match="recorded"):
        event().elapsed_time(event())
    start, end = event(), event()
    start.record()
    end.record()
    with pytest.raises(RuntimeError, match="enable_timing"):
        start.elapsed_time(end)


def test_waiting_for_a_moment_on_the_clock_ends() -> None:
    device = SimulatedDevice()
    end = device.seconds() + 0.001
    while device.seconds() < end:
        pass
    device.sleep(2.0)
    assert device.seconds() > end + 1.9


def test_asking_an_event_ends_exactly_when_the_work_does() -> None:
    device = SimulatedDevice()
    end = device.replacements()["torch.cuda.Event"]()
    device.workload([100.0])()
    end.record()
    questions = 0
    while not end.query():
        questions += 1
    assert 20 < questions < 150
    assert device.host_us == pytest.approx(LAUNCH_US + 100e3, abs=2.0)
    assert device.log == ["run", "mark", "synchronise"]


def test_asking_the_stream_ends() -> None:
    device = SimulatedDevice()
    stream = device.replacements()["torch.cuda.Stream"]()
    device.workload([5.0])()
    assert sum(1 for _ in iter(stream.query, True)) < 50
    assert device.host_us == pytest.approx(LAUNCH_US + 5e3, abs=2.0)


def test_waiting_for_an_earlier_mark_is_no_synchronisation() -> None:
    device = SimulatedDevice()
    event = device.replacements()["torch.cuda.Event"]()
    event.record()
    device.workload([5.0])()
    event.synchronize()
    device.synchronize()
    device.seconds()
    assert device.log == ["mark", "run", "wait", "synchronise", "clock"]


@pytest.mark.parametrize(
    ("length", "error"),
    [
        (-1, ValueError),
        (-0.5, ValueError),
        (math.nan, ValueError),
        (math.inf, OverflowError),
        (10**30, OverflowError),
        ("1", TypeError),
        (None, TypeError),
    ],
)
def test_sleep_raises_what_the_real_one_does(length: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        SimulatedDevice().sleep(length)


@pytest.mark.parametrize("other", [None, object(), 3.0])
def test_elapsed_time_takes_events_only(other: Any) -> None:
    replacements = SimulatedDevice().replacements()
    start = replacements["torch.cuda.Event"](enable_timing=True)
    start.record()
    with pytest.raises(TypeError, match=type(other).__name__):
        start.elapsed_time(other)
    with pytest.raises(TypeError, match="Event"):
        replacements["torch.cuda.Stream"]().record_event(3.0)


def test_a_stream_records_an_event_of_its_own() -> None:
    replacements = SimulatedDevice().replacements()
    assert replacements["torch.cuda.Stream"]().record_event().query()


def test_all_clocks_are_one() -> None:
    device = SimulatedDevice()
    replacements = device.replacements()
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
        seconds, nanoseconds = replacements[f"time.{name}"](), replacements[f"time.{name}_ns"]()
        assert nanoseconds == pytest.approx(seconds * 1e9, abs=1e3)
    assert replacements["time.clock_gettime_ns"](1) == pytest.approx(replacements["time.clock_gettime"](1) * 1e9)
    with pytest.raises(TypeError, match="str"):
        replacements["time.clock_gettime"]("1")


def test_timeit_reads_the_clock_that_is_the_default_then(monkeypatch: pytest.MonkeyPatch) -> None:
    class Template:
        format = staticmethod(SimulatedDevice().replacements()["timeit.template.format"])

    monkeypatch.setattr(timeit, "template", Template)
    monkeypatch.setattr(timeit, "default_timer", iter([1.0, 4.0]).__next__)
    assert timeit.timeit(lambda: None, number=1) == 3.0
    assert timeit.timeit("x", "x = 1", timer=iter([1, 6]).__next__, number=2) == 5


def test_every_replacement_takes_the_place_of_something() -> None:
    for target in SimulatedDevice().replacements():
        pkgutil.resolve_name(target)


def test_an_older_torch_has_no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch, "accelerator", raising=False)
    assert not any("accelerator" in target for target in SimulatedDevice().replacements())
