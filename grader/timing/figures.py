"""How the solutions stand: beside what the device can do, and beside the best libraries. Nothing runs here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.exercise import PerformanceCase
from grader.timing.marks import share_of
from grader.timing.measurement import CaseResult, Measurement


@dataclass(frozen=True)
class Figure:
    """One timed case of a solution."""

    exercise: str
    case: PerformanceCase
    result: CaseResult

    @property
    def share(self) -> float | None:
        """Of what the case asks for; None where nothing was measured."""
        return share_of(self.result.measurement, self.case)[1] if self.result.measurement else None


def problems(figures: Sequence[Figure]) -> Iterator[str]:
    """Solutions that were not measured, or stay below what they must reach."""
    for figure in figures:
        where = f"{figure.exercise}, {figure.case.name}"
        if figure.share is None:
            status = figure.result.status.value if figure.result.status else "no result"
            yield f"{where}: {status}: {figure.result.message}"
        elif figure.case.solution_at is not None and figure.share < figure.case.solution_at:
            found = f"{figure.share:.1%} of {_asked(figure.case)}"
            yield f"{where}: {found}, expected {figure.case.solution_at:.0%} at least"


def table(figures: Sequence[Figure]) -> str:
    """The figures as a table in Markdown."""
    lines = [
        "| solution | case | time, ms | rate | baseline, ms | share | at least | other ways, ms |",
        "|---|---|---|---|---|---|---|---|",
        *(_line(figure) for figure in figures),
    ]
    return "\n".join(lines)


def _line(figure: Figure) -> str:
    measured = figure.result.measurement
    start = f"| {figure.exercise} | {figure.case.name} |"
    least = "–" if figure.case.solution_at is None else f"{figure.case.solution_at:.0%}"
    if measured is None or figure.share is None:
        status = figure.result.status.value if figure.result.status else "no result"
        return f"{start} {status} | – | – | – | {least} | – |"
    time, ways = measured.time_ms, ", ".join(f"{way.name} {way.time_ms:.4g}" for way in measured.ways)
    spread = (time.high - time.low) / 2 / time.median
    return (
        f"{start} {time.median:.4g} ± {spread:.1%} | {rate(measured, figure.case)} | {measured.baseline_ms.median:.4g} "
        f"| {figure.share:.1%} of {_asked(figure.case)} | {least} | {ways or '–'} |"
    )


def rate(measured: Measurement, case: PerformanceCase) -> str:
    """The ideal traffic, or the operations, in a second."""
    time_ms = measured.time_ms.median
    if case.bound == "memory":
        return f"{measured.num_bytes / time_ms / 1e6:,.0f} GB/s"
    return f"{measured.num_flops / time_ms / 1e9:,.0f} TFLOP/s"


def _asked(case: PerformanceCase) -> str:
    return "the copy bandwidth" if case.bound == "memory" else "the baseline"
