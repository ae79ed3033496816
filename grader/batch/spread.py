"""How points are spread over a class: counts, mean and quartiles, before and after."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict


class Quartiles(BaseModel):
    """Of some points; all zero where there are none."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    mean: float = 0.0
    lowest: float = 0.0
    lower: float = 0.0  # a quarter has less
    median: float = 0.0
    upper: float = 0.0  # a quarter has more
    highest: float = 0.0


class Spread(BaseModel):
    """Points of the same people twice."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    exercise: str  # empty: the sum of all, after lateness
    people: int  # that are counted
    left_out: int  # not decided on both sides, or with another file
    more: int  # who have more than before
    less: int
    before: Quartiles
    after: Quartiles


def quartiles(points: Sequence[float]) -> Quartiles:
    """Mean and quartiles of any number of points."""
    if not points:
        return Quartiles()
    few = [points[0]] * 2 if len(points) == 1 else points
    lower, median, upper = statistics.quantiles(few, n=4, method="inclusive")
    return Quartiles(
        mean=round(statistics.fmean(points), 4),
        lowest=min(points),
        lower=round(lower, 4),
        median=round(median, 4),
        upper=round(upper, 4),
        highest=max(points),
    )


def spread(exercise: str, pairs: Sequence[tuple[float, float]], people: int) -> Spread:
    """Of (before, after) for each person that can be compared, out of so many people."""
    return Spread(
        exercise=exercise,
        people=len(pairs),
        left_out=people - len(pairs),
        more=sum(after > before for before, after in pairs),
        less=sum(after < before for before, after in pairs),
        before=quartiles([before for before, _ in pairs]),
        after=quartiles([after for _, after in pairs]),
    )
