"""The simulated device: a launch returns at once, only a synchronisation waits."""

from __future__ import annotations

import pytest

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
