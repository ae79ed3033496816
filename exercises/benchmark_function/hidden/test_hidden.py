"""The cases that only staff have."""

import pytest

from shared.simulated_device import SimulatedDevice


def measure(submission, expect, reference, device, work_ms, num_warmups, num_trials, **options):
    submission.replace(device.replacements())
    run = device.workload(work_ms, **options)
    result = submission.benchmark("work", run, num_warmups, num_trials)
    reference.check_result(expect, result, device, work_ms, num_warmups, num_trials)


@pytest.mark.points(4)
@pytest.mark.parametrize(("num_warmups", "num_trials"), [(1, 1), (3, 7), (0, 4)], ids=["one", "many", "no warm-up"])
def test_each_trial_by_itself(submission, make, expect, reference, num_warmups, num_trials):
    """trials that differ, in several numbers"""
    work_ms = reference.durations(make, num_warmups + num_trials)
    measure(submission, expect, reference, SimulatedDevice(), work_ms, num_warmups, num_trials)


@pytest.mark.points(4)
@pytest.mark.parametrize("num_warmups", [0, 1])
def test_work_already_queued(submission, make, expect, reference, num_warmups):
    """the device is still busy with other work when the benchmark starts"""
    device = SimulatedDevice()
    device.busy_for(30.0)
    work_ms = reference.durations(make, num_warmups + 3)
    measure(submission, expect, reference, device, work_ms, num_warmups, 3)


@pytest.mark.points(3)
def test_slow_first_call(submission, make, expect, reference):
    """a first call of 200 ms"""
    work_ms = reference.durations(make, 8)
    measure(submission, expect, reference, SimulatedDevice(), work_ms, 3, 5, first_call_ms=200.0)


@pytest.mark.points(3)
def test_long_and_short_trials(submission, make, expect, reference):
    """durations from 1 to 100 ms in one run"""
    work_ms = [float(v) for v in make.uniform(9, low=1.0, high=100.0)]
    measure(submission, expect, reference, SimulatedDevice(epoch_s=5.0), work_ms, 2, 7)
