"""The race: submission and baseline take turns in random order until the medians are tight or the budget ends.

It knows racers only by what they do, so it is tested on a simulated device.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Protocol

from grader.timing.statistics import MIN_SAMPLES, Interval, interval

MAX_REPEATS = 5
"""Turns in a row that may be void (new memory appeared, the GPU was not idle) before the case is given up."""


class NotMeasured(Exception):
    """The case cannot be measured here, by nobody's fault; the text says why."""


@dataclass(frozen=True)
class Turn:
    """One batch: milliseconds on the grader's clock and on the worker's; void when it must be repeated."""

    batch_ms: float
    events_ms: float
    calls: int
    void: str = ""


class Racer(Protocol):
    """Takes a turn: fresh inputs, one batch, every output checked. Raises Failure when an output is wrong."""

    def turn(self) -> Turn:
        """Run one batch."""


@dataclass(frozen=True)
class Result:
    """Time of one call of each, in milliseconds; the worker's own clock; what was taken off each batch."""

    submission: Interval
    baseline: Interval
    events_ms: float
    fixed_ms: float


@dataclass
class _Lane:
    racer: Racer
    turns: list[Turn] = field(default_factory=list)

    def each(self, fixed_ms: float) -> Interval:
        """Time of one call."""
        return interval([(turn.batch_ms - fixed_ms) / turn.calls for turn in self.turns])


def race(
    submission: Racer,
    baseline: Racer,
    budget_s: float,
    seed: int,
    clock: Callable[[], float] = time.monotonic,
    *,
    is_compared: bool = True,
) -> Result:
    """Rounds of one turn each, of racers that have run before; raises NotMeasured, and Failure of the submission.

    Where the mark is no comparison with the baseline, the rounds need not go on until its median is tight too.
    """
    order = random.Random(seed)
    lanes = student, reference = [_Lane(submission), _Lane(baseline)]
    end = clock() + budget_s
    while not _is_settled(student, reference, is_compared) and (clock() < end or len(student.turns) < MIN_SAMPLES):
        for lane in order.sample(lanes, 2):
            lane.turns.append(_turn(lane.racer))
    fixed = _fixed(reference)
    events = median(turn.events_ms / turn.calls for turn in student.turns)
    return Result(student.each(fixed), reference.each(fixed), events, fixed)


def _fixed(reference: _Lane) -> float:
    """What a batch costs beside its work: the part of the baseline's batches that its own events do not see."""
    return median(turn.batch_ms - turn.events_ms for turn in reference.turns)


def _is_settled(student: _Lane, reference: _Lane, is_compared: bool) -> bool:
    if len(student.turns) < MIN_SAMPLES:
        return False
    fixed = _fixed(reference)
    return student.each(fixed).is_tight and (reference.each(fixed).is_tight or not is_compared)


def _turn(racer: Racer) -> Turn:
    """One turn that counts."""
    for _ in range(MAX_REPEATS):
        turn = racer.turn()
        if not turn.void:
            return turn
    raise NotMeasured(f"{turn.void}, {MAX_REPEATS} times in a row")
