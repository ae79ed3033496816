"""How steady marks are on a device: pure functions from repeated gradings of known files to a table and problems.

A known file is one whose mark is no question: the solution and the baseline earn every point, what lies in
`rejected/too_slow/` does not, a stub earns none. Each must lie far enough from every edge between two marks that noise
cannot carry it across.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from grader.exercise import PerformanceCase
from grader.status import Status
from grader.timing.marks import QUARTERS

FAR_FROM_AN_EDGE = 0.05
"""Relative: how far a known file's share has to lie from every edge."""


UNJUDGED = (Status.NOT_MEASURED, Status.GRADER_ERROR)


@dataclass(frozen=True)
class Grading:
    """One grading of one case of a known file."""

    status: Status
    points: int
    share: float  # 0 where nothing was measured


@dataclass(frozen=True)
class Known:
    """A file with all its gradings of one case."""

    file: str
    earns_all: bool
    case: PerformanceCase
    gradings: tuple[Grading, ...]

    @property
    def share(self) -> float:
        """The median share."""
        return median(grading.share for grading in self.gradings)

    @property
    def spread(self) -> float:
        """(largest - smallest) / median of the shares."""
        shares = [grading.share for grading in self.gradings]
        return (max(shares) - min(shares)) / self.share if self.share else 0.0

    @property
    def usual(self) -> int:
        """The points given most often."""
        return Counter(grading.points for grading in self.gradings).most_common(1)[0][0]

    @property
    def flips(self) -> int:
        """Gradings with other points than usual."""
        return sum(grading.points != self.usual for grading in self.gradings)

    @property
    def wrong(self) -> int:
        """Gradings on the wrong side: not all points for what earns them, all points for what does not."""
        return sum((grading.points == self.case.points) != self.earns_all for grading in self.gradings)

    @property
    def suspected(self) -> int:
        """Gradings called suspect."""
        return sum(grading.status is Status.SUSPECT for grading in self.gradings)

    @property
    def from_an_edge(self) -> float:
        """Relative distance of the share from the nearest edge; infinite where nothing is timed."""
        if not self.share:
            return float("inf")
        return min(abs(self.share / edge - 1) for edge in edges(self.case))


def edges(case: PerformanceCase) -> list[float]:
    """The shares at which the mark changes."""
    step = (case.full_at - case.zero_at) / QUARTERS
    return [case.zero_at + quarter * step for quarter in range(1, QUARTERS + 1)]


def problems(known: Sequence[Known]) -> Iterator[str]:
    """What has to be mended before these marks can be given on this device."""
    for each in known:
        where = f"{each.file}, {each.case.name}"
        count = len(each.gradings)
        if each.wrong:
            side = "not every point" if each.earns_all else "every point"
            yield f"{where}: {side} in {each.wrong} of {count} gradings"
        if each.flips:
            yield f"{where}: other points than usual in {each.flips} of {count} gradings"
        unjudged = sum(grading.status in UNJUDGED for grading in each.gradings)
        if unjudged:
            yield f"{where}: not judged in {unjudged} of {count} gradings"
        if each.suspected:
            yield f"{where}: suspect in {each.suspected} of {count} gradings"
        if each.from_an_edge < FAR_FROM_AN_EDGE:
            yield (
                f"{where}: {each.share:.1%} lies {each.from_an_edge:.1%} from an edge between two marks, expected "
                f"{FAR_FROM_AN_EDGE:.0%} at least: move the edge (full_at, zero_at), or change the file"
            )


def rates(known: Sequence[Known]) -> str:
    """False fails, false passes and flips, over all gradings."""
    parts = []
    for name, group in (
        ("false fail", [each for each in known if each.earns_all]),
        ("false pass", [each for each in known if not each.earns_all]),
    ):
        wrong, count = sum(each.wrong for each in group), sum(len(each.gradings) for each in group)
        parts.append(f"{name} {wrong} of {count}")
    flips, count = sum(each.flips for each in known), sum(len(each.gradings) for each in known)
    return ", ".join([*parts, f"flips {flips} of {count}"])


def table(known: Sequence[Known]) -> str:
    """The gradings as a table in Markdown."""
    lines = [
        "| file | case | share, median | (max − min) / median | points | flips | nearest edge |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in known:
        edge = f"{each.from_an_edge:.0%}" if each.share else "–"
        share = f"{each.share:.3f}" if each.share else each.gradings[0].status.value
        lines.append(
            f"| {each.file} | {each.case.name} | {share} | {each.spread:.1%} | {each.usual}/{each.case.points} "
            f"| {each.flips} of {len(each.gradings)} | {edge} |"
        )
    return "\n".join(lines)
