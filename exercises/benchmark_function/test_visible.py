"""The cases a student sees. The GPU is simulated: its clock, its stream and its work live in the grader."""

import pytest

from shared.simulated_device import SimulatedDevice
from shared.workloads import Workload


def measure(submission, expect, reference, work_ms, num_warmups, num_trials, **options):
    device = SimulatedDevice()
    submission.replace(device.replacements())
    run = device.workload(work_ms, **options)
    result = submission.benchmark("work", run, num_warmups, num_trials)
    reference.check_result(expect, result, device, work_ms, num_warmups, num_trials)


@pytest.mark.points(3)
def test_waits_for_the_device(submission, expect, reference):
    """three trials of 5 ms each, after one warm-up"""
    measure(submission, expect, reference, [5.0] * 4, num_warmups=1, num_trials=3)


@pytest.mark.points(3)
def test_warm_up_is_not_measured(submission, expect, reference):
    """the first call costs 40 ms more than later ones"""
    measure(submission, expect, reference, [5.0] * 5, num_warmups=2, num_trials=3, first_call_ms=40.0)


@pytest.mark.points(0)
@pytest.mark.needs(device="cuda")
@pytest.mark.call_limit(60.0)
def test_on_a_real_gpu(submission, expect, reference):
    """a demonstration without points: a real matrix product on this machine's GPU"""
    result = submission.benchmark("matmul", Workload("matmul", {"size": 4096}), 2, 5)
    times = reference.check_form(expect, result, 5)
    expect.that(
        min(times) > 0.2,
        found=f"a fastest trial of {min(times):.4g} ms",
        expected="more than 0.2 ms for a product of 4096 x 4096 matrices",
        hint="No GPU does 137 GFLOP in a launch's time: synchronise before the clock stops.",
    )
