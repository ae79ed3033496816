"""The median, its interval, and when to stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

CONFIDENCE = 0.95
MIN_SAMPLES = 6  # below this the widest interval of order statistics holds less than the confidence
TIGHT = 0.005
"""Half the interval's width, relative to the median: at this the rounds stop."""


@dataclass(frozen=True)
class Interval:
    """A median with the interval that holds it, whatever the distribution."""

    median: float
    low: float
    high: float
    samples: int

    @property
    def half_width(self) -> float:
        """Relative to the median; 0 for a median of 0."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0

    @property
    def is_tight(self) -> bool:
        """Whether more rounds would not change a mark."""
        return self.samples >= MIN_SAMPLES and self.half_width <= TIGHT


def interval(samples: Sequence[float]) -> Interval:
    """The median of at least one sample, between two order statistics.

    The number of samples below the true median is binomial, so the ranks follow from n alone: no assumption about the
    noise, which is one-sided here.
    """
    ordered = sorted(samples)
    rank = _rank(len(ordered))
    return Interval(median(ordered), ordered[rank], ordered[-1 - rank], len(ordered))


def _rank(count: int) -> int:
    """The largest rank whose interval still holds the median with the confidence; 0 when there are too few samples."""
    tail = (1 - CONFIDENCE) / 2
    below, rank = 0.0, 0
    for k in range(count // 2):
        below += math.comb(count, k) / 2**count
        if below > tail:
            break
        rank = k + 1
    return max(0, rank - 1) if count > 1 else 0
