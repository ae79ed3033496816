"""The race: submission and baseline take turns in random order until the medians are tight or the budget ends.

It knows racers only by what they do, so it is tested on a simulated device.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from grader.timing.statistics import MIN_SAMPLES, Interval, interval

MAX_REPEATS = 5
"""Turns in a row that may be void (new memory appeared, the GPU was not idle) before the case is given up."""


class NotMeasured(Exception):
    """The case cannot be measured here, by nobody's fault; the text says why."""


@dataclass(frozen=True)
class Turn:
    """One batch: time per call on the grader's clock, and on the worker's; void when it must be repeated."""

    time_ms: float
    events_ms: float
    void: str = ""


class Racer(Protocol):
    """Takes a turn: fresh inputs, one batch, every output checked. Raises Failure when an output is wrong."""

    def turn(self) -> Turn:
        """Run one batch."""


@dataclass(frozen=True)
class Result:
    """The medians of both, and the worker's own clock."""

    submission: Interval
    baseline: Interval
    events_ms: float


@dataclass
class _Lane:
    racer: Racer
    times: list[float] = field(default_factory=list)
    events: list[float] = field(default_factory=list)


def race(
    submission: Racer,
    baseline: Racer,
    budget_s: float,
    seed: int,
    clock: Callable[[], float] = time.monotonic,
) -> Result:
    """Rounds of one turn each, after one that is not counted; raises NotMeasured, and Failure of the submission."""
    order = random.Random(seed)
    lanes = [_Lane(submission), _Lane(baseline)]
    for lane in lanes:
        _turn(lane.racer)  # the first batch allocates, compiles and caches
    end = clock() + budget_s
    while not _is_settled(lanes) and (clock() < end or len(lanes[0].times) < MIN_SAMPLES):
        for lane in order.sample(lanes, 2):
            turn = _turn(lane.racer)
            lane.times.append(turn.time_ms)
            lane.events.append(turn.events_ms)
    return Result(interval(lanes[0].times), interval(lanes[1].times), interval(lanes[0].events).median)


def _is_settled(lanes: list[_Lane]) -> bool:
    return all(lane.times and interval(lane.times).is_tight for lane in lanes)


def _turn(racer: Racer) -> Turn:
    """One turn that counts."""
    for _ in range(MAX_REPEATS):
        turn = racer.turn()
        if not turn.void:
            return turn
    raise NotMeasured(f"{turn.void}, {MAX_REPEATS} times in a row")
