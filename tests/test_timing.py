"""Performance without a GPU: intervals, the stopping rule, marks and the race on a simulated device."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from grader.exercise import PerformanceCase
from grader.records import Failure, Finding
from grader.status import Status
from grader.timing.batches import BATCH_MS, counts
from grader.timing.health import Health
from grader.timing.marks import mark, quarters
from grader.timing.measurement import HOST_COPIES, Ceilings, Measurement
from grader.timing.race import MAX_REPEATS, NotMeasured, Result, Turn, race
from grader.timing.statistics import MIN_SAMPLES, Interval, interval

MEMORY = PerformanceCase(name="m", points=8, arguments={}, bound="memory", full_at=0.8, zero_at=0.4)
COMPUTE = PerformanceCase(name="c", points=4, arguments={}, bound="compute", full_at=1.0, zero_at=0.2)

CEILINGS = Ceilings(1000.0, {"float32": 50.0, "tf32": 400.0, "float16": 800.0}, 2.0, "2026-11-30T12:00:00", Health())


def exact(value: float) -> Interval:
    return Interval(value, value, value, 10)


def measured(time: Interval, baseline: Interval | None = None, **changes: object) -> Measurement:
    """A device that copies 1000 GB/s; one call moves 1 GB, so 1 ms is its limit."""
    fields: dict[str, object] = {
        "time_ms": time,
        "baseline_ms": baseline or exact(1.0),
        "calls": 50,
        "num_bytes": 10**9,
        "num_flops": 10**9,
        "working_set_bytes": 50 * 10**9,
        "dtype": "float32",
        "ceilings": CEILINGS,
        "drift": 0.0,
        "l2_bytes": 60 * 2**20,
        "events_ms": time.median,
        "memory": "cuda ipc",
        "health": Health(),
    }
    return Measurement(**{**fields, **changes})  # type: ignore[arg-type]


# -- statistics


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    generator = random.Random(7)
    for count in (6, 11, 15, 40):
        outside = 0
        for _ in range(2000):
            found = interval([generator.expovariate(1.0) for _ in range(count)])
            outside += not found.low <= 0.693147 <= found.high
        assert outside / 2000 <= 0.06


def test_a_few_samples_are_never_tight() -> None:
    assert not interval([1.0] * (MIN_SAMPLES - 1)).is_tight
    assert interval([1.0] * MIN_SAMPLES).is_tight


def test_one_sample_is_its_own_interval() -> None:
    assert interval([3.0]) == Interval(3.0, 3.0, 3.0, 1)


def test_more_samples_make_it_tighter() -> None:
    generator = random.Random(1)
    widths = [interval([generator.gauss(1.0, 0.02) for _ in range(n)]).half_width for n in (8, 40, 400)]
    assert widths[0] > widths[1] > widths[2]


# -- marks


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 0), (0.4, 0), (0.49, 0), (0.5, 1), (0.6, 2), (0.7, 3), (0.79, 3), (0.8, 4), (1.2, 4)]
)
def test_quarters(share: float, expected: int) -> None:
    assert quarters(share, MEMORY) == expected


@pytest.mark.parametrize(
    ("time_ms", "points", "status"),
    [(1.0, 8, Status.PASSED), (1.25, 8, Status.PASSED), (1.3, 6, Status.TOO_SLOW), (3.0, 0, Status.TOO_SLOW)],
)
def test_memory_bound_marks_follow_the_copy_bandwidth(time_ms: float, points: int, status: Status) -> None:
    given = mark(measured(exact(time_ms)), MEMORY)
    assert (given.points, given.finding.status) == (points, status)


def test_compute_bound_marks_follow_the_baseline() -> None:
    assert mark(measured(exact(2.0), exact(2.0)), COMPUTE).points == 4
    assert mark(measured(exact(4.0), exact(2.0)), COMPUTE).points == 1
    assert mark(measured(exact(1.0), exact(2.0)), COMPUTE).points == 4, "beating a library is a joy, not suspect"


def test_an_edge_inside_the_interval_is_decided_for_the_student() -> None:
    given = mark(measured(Interval(1.26, 1.24, 1.28, 20)), MEMORY)
    assert (given.points, given.on_an_edge) == (8, True)
    assert not mark(measured(Interval(1.30, 1.29, 1.31, 20)), MEMORY).on_an_edge


def test_turns_that_differ_are_no_noise_to_decide_for_the_student() -> None:
    """One good turn of six must not make the mark."""
    given = mark(measured(Interval(50.0, 1.0, 50.0, 6)), MEMORY)
    assert (given.points, given.on_an_edge) == (0, False)
    compared = mark(measured(exact(2.0), Interval(1.0, 0.5, 4.0, 6)), COMPUTE)
    assert (compared.points, compared.on_an_edge) == (1, False)


def test_faster_than_the_device_is_suspect() -> None:
    assert mark(measured(exact(0.8)), MEMORY).finding.status is Status.SUSPECT
    assert mark(measured(exact(0.9)), MEMORY).finding.status is Status.PASSED
    assert mark(measured(Interval(0.8, 0.7, 0.9, 9)), MEMORY).finding.status is Status.PASSED
    assert mark(measured(exact(0.5), working_set_bytes=2**20), MEMORY).finding.status is Status.PASSED


def test_what_travelled_through_host_memory_gives_no_marks() -> None:
    given = mark(measured(exact(1.0), memory=HOST_COPIES), MEMORY)
    assert (given.points, given.finding.status) == (0, Status.NOT_MEASURED)
    assert "seen before the clock starts" in given.finding.summary


def test_a_product_beyond_the_fastest_units_is_suspect() -> None:
    """The rate to beat is that of TF32: three such products make one of float32."""
    flops = 400 * 10**9  # a millisecond at 400 TFLOP/s
    fields = {"num_flops": flops, "num_bytes": 1}
    assert mark(measured(exact(0.8), exact(2.0), **fields), COMPUTE).finding.status is Status.SUSPECT
    assert mark(measured(exact(0.9), exact(2.0), **fields), COMPUTE).finding.status is Status.PASSED
    assert mark(measured(exact(0.8), exact(2.0), **fields, dtype="float64"), COMPUTE).finding.status is Status.PASSED


def test_a_ceiling_that_drifted_is_nobodys_fault() -> None:
    given = mark(measured(exact(3.0), drift=-0.05), MEMORY)
    assert given.finding.status is Status.NOT_MEASURED
    assert "GPU busy" in given.finding.summary
    assert mark(measured(exact(1.0), drift=0.02), MEMORY).points == 8


# -- the plan

GB = 10**9


@pytest.mark.parametrize("room_gb", [3, 10, 100, 300, 1000])
def test_a_batch_has_as_many_calls_as_fit_into_memory(room_gb: int) -> None:
    count, baseline = counts(room_gb * GB, inputs=GB, output=GB, least_ms=BATCH_MS / 250, baseline_ms=BATCH_MS / 125)
    assert 1 <= baseline <= count <= 250
    assert count * 2 + baseline <= room_gb
    assert count * 2 + baseline > min(room_gb, 625) - 3, "less than one call is left unused"


def test_a_batch_has_no_more_calls_than_last_long_enough() -> None:
    assert counts(1000 * GB, GB, GB, least_ms=BATCH_MS / 250, baseline_ms=BATCH_MS / 125) == (250, 125)


def test_one_call_is_tried_where_there_seems_to_be_no_room() -> None:
    assert counts(0, GB, GB, least_ms=1.0, baseline_ms=1.0) == (1, 1)


# -- the race


class Simulated:
    """A racer whose calls take a known time, with noise that only ever adds."""

    CALLS = 20
    FIXED_MS = 0.5

    def __init__(self, each_ms: float, noise: float = 0.01, seed: int = 0, voids: int = 0) -> None:
        self._each_ms = each_ms
        self._noise = noise
        self._random = random.Random(seed)
        self._voids = voids
        self.turns = 0

    def turn(self) -> Turn:
        self.turns += 1
        if self._voids:
            self._voids -= 1
            return Turn(0.0, 0.0, 1, "new memory appeared")
        each_ms = self._each_ms * (1 + self._random.expovariate(1 / self._noise))
        return Turn(each_ms * self.CALLS + self.FIXED_MS, each_ms * self.CALLS, self.CALLS)


def ticking(step_s: float) -> Iterator[float]:
    now = 0.0
    while True:
        now += step_s
        yield now


def run(a: Simulated, b: Simulated, step_s: float = 0.1, budget_s: float = 20.0, seed: int = 0) -> Result:
    clock = ticking(step_s)
    return race(a, b, budget_s, seed, lambda: next(clock))


def test_a_quiet_device_needs_few_rounds() -> None:
    racer = Simulated(1.0, noise=0.001)
    result = run(racer, Simulated(2.0, noise=0.001))
    assert racer.turns <= MIN_SAMPLES + 3
    assert result.submission.median == pytest.approx(1.0, rel=0.005)
    assert result.baseline.median == pytest.approx(2.0, rel=0.005)


def test_a_noisy_baseline_only_counts_where_it_is_compared_with() -> None:
    def rounds(is_compared: bool) -> int:
        racer, clock = Simulated(1.0, noise=0.001), ticking(0.1)
        race(racer, Simulated(1.0, noise=0.2), 20.0, 0, lambda: next(clock), is_compared=is_compared)
        return racer.turns

    assert rounds(is_compared=False) <= MIN_SAMPLES + 3
    assert rounds(is_compared=True) > 50


def test_a_noisy_device_stops_with_its_budget() -> None:
    racer = Simulated(1.0, noise=0.5)
    run(racer, Simulated(1.0, noise=0.5), step_s=1.0, budget_s=20.0)
    assert 15 <= racer.turns <= 25


def test_five_percent_of_extra_work_is_ranked_right() -> None:
    wrong = 0
    for seed in range(50):
        result = run(Simulated(1.05, noise=0.02, seed=seed), Simulated(1.0, noise=0.02, seed=99 + seed), seed=seed)
        wrong += result.submission.median <= result.baseline.median
    assert wrong <= 2


def test_a_void_turn_is_repeated_and_too_many_are_given_up() -> None:
    assert run(Simulated(1.0, voids=MAX_REPEATS - 1), Simulated(1.0))
    with pytest.raises(NotMeasured, match="new memory appeared"):
        run(Simulated(1.0, voids=MAX_REPEATS), Simulated(1.0))


def test_what_a_batch_costs_beside_its_work_is_that_of_the_baseline() -> None:
    result = run(Simulated(1.0, noise=0.001), Simulated(2.0, noise=0.001))
    assert result.fixed_ms == pytest.approx(Simulated.FIXED_MS)


def test_events_that_a_submission_invents_change_nothing() -> None:
    class Invented(Simulated):
        def turn(self) -> Turn:
            return replace(super().turn(), events_ms=0.001)

    result = run(Invented(1.0, noise=0.001), Simulated(2.0, noise=0.001))
    assert result.submission.median == pytest.approx(1.0, rel=0.005)


def test_a_wrong_output_in_any_round_ends_the_race() -> None:
    class WrongLater(Simulated):
        def turn(self) -> Turn:
            if self.turns == 4:
                raise Failure(Finding(Status.INCORRECT, "the output of a timed call is wrong"))
            return super().turn()

    with pytest.raises(Failure, match="timed call"):
        run(WrongLater(1.0), Simulated(1.0))


def test_the_order_of_the_turns_is_random_but_repeatable() -> None:
    order: list[str] = []

    class Named(Simulated):
        def __init__(self, name: str) -> None:
            super().__init__(1.0, noise=0.2)
            self._name = name

        def turn(self) -> Turn:
            order.append(self._name)
            return super().turn()

    def orders(seed: int) -> list[str]:
        order.clear()
        run(Named("a"), Named("b"), seed=seed)
        return list(order)

    assert orders(1) == orders(1)
    assert orders(1) != orders(2)
