"""From what was counted in a call to the verdict on an efficiency case. Nothing runs here.

Every bound that a case gives must hold, all or nothing. Bounds are over the whole call; a message names the place that
has the largest part in it. The counts come from the submission's process: evidence, not proof.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from grader import rules
from grader.exercise import EfficiencyCase, Predictable
from grader.records import PASSED, Finding
from grader.status import Status
from grader.timing.marks import Mark
from shared.cost import Cost
from shared.traffic import Site, Traffic

NO_COST = Cost(0, 0)
MAX_LINES = 3
"""Of the submission, shown with one broken bound."""
FAR_APART = 2.0
"""From so many times the fewest sectors on, neighbours lie far apart; below, accesses only begin within a sector."""
_PREDICTED_WITHIN: dict[Predictable, float] = {"launches": 0.0, "programs": 0.0, "bytes": 0.02}
_PREDICT = (
    "Derive it from the launch grid, and from what one program loads and stores; then find which of both is wrong."
)
_READS = {"load": "reads", "store": "writes", "atomic": "updates"}
_READ = {"load": "read", "store": "write", "atomic": "update"}


@dataclass(frozen=True)
class Counted:
    """The evidence of one counted call with a right result, or the finding that says why there is none."""

    file: str = ""  # of the submission
    source: str = ""  # its text
    traffic: Traffic | None = None
    cost: Cost = NO_COST  # of the call, ideally
    predicted: Mapping[Predictable, Any] = field(default_factory=dict)  # what the student's functions returned
    finding: Finding | None = None


@dataclass(frozen=True)
class Breach:
    """A bound that does not hold."""

    text: str
    advice: str
    sites: tuple[Site, ...] = ()  # the places that break it, worst first


def believed(traffic: Traffic, source: str) -> Traffic:
    """The counts without lines that the file does not have and names that do not stand in it."""
    num_lines = len(source.splitlines())

    def site(found: Site) -> Site:
        name = re.match(r"\w*", found.name)
        stands = name is not None and name[0] and re.search(rf"\b{re.escape(name[0])}\b", source)
        line = found.line if found.line <= num_lines else 0
        return replace(found, line=line, name=name[0] if name and stands else "")

    return replace(traffic, sites=tuple(map(site, traffic.sites)))


def mark(case: EfficiencyCase, counted: Counted) -> Mark:
    """All points, or none with the finding that names each broken bound."""
    traffic = counted.traffic
    if counted.finding is not None or traffic is None:
        return Mark(0, counted.finding or Finding(Status.NOT_MEASURED, "nothing was counted"))
    if traffic.global_bytes < counted.cost.num_bytes:
        text = f"{traffic.global_bytes:,} bytes were counted where {counted.cost.num_bytes:,} are needed at least"
        return Mark(0, Finding(Status.NOT_MEASURED, f"{text}: not all that the call moves was seen"))
    broken = [*predictions(case, traffic, counted.predicted), *breaches(case, traffic, counted.cost)]
    if not broken:
        return Mark(case.points, PASSED)
    sites = [site for breach in broken for site in breach.sites[:MAX_LINES]]
    lines = sorted({site.line for site in sites if site.line})
    found = Finding(
        Status.INEFFICIENT,
        "; ".join(breach.text for breach in broken),
        diagnosis=" ".join(breach.advice for breach in broken),
        lines=tuple(rules.place(counted.file, counted.source, line) for line in lines),
    )
    return Mark(0, found)


def predictions(case: EfficiencyCase, traffic: Traffic, said: Mapping[Predictable, Any]) -> Iterator[Breach]:
    """The predictions that what was counted does not bear out."""
    counts = {"launches": traffic.launches, "programs": traffic.programs, "bytes": traffic.global_bytes}
    for quantity, name in case.predicted.items():
        found, count = said.get(quantity), counts[quantity]
        if not _is_number(found) or not math.isclose(found, count, rel_tol=_PREDICTED_WITHIN[quantity]):
            yield Breach(f"{name} says {_number(found)} {quantity}; {count:,} were counted", _PREDICT)


def _is_number(found: Any) -> TypeGuard[float]:
    return type(found) in (int, float)


def _number(found: Any) -> str:
    return f"{found:,}" if _is_number(found) else f"{type(found).__name__} (expected a number) for the"


def breaches(case: EfficiencyCase, traffic: Traffic, cost: Cost) -> Iterator[Breach]:
    """The bounds of the case that do not hold."""
    if case.most_launches is not None and traffic.launches > case.most_launches:
        yield _launches(traffic.launches, case.most_launches)
    if case.most_traffic is not None and traffic.global_bytes > case.most_traffic * cost.num_bytes:
        yield _bytes(traffic, cost, case.most_traffic)
    if case.least_coalesced is not None and coalesced(traffic) < case.least_coalesced:
        yield _sectors(traffic, case.least_coalesced)
    if case.most_bank_conflicts is not None and bank_conflicts(traffic) > case.most_bank_conflicts:
        yield _banks(traffic, case.most_bank_conflicts)


def coalesced(traffic: Traffic) -> float:
    """The fewest sectors of global memory over those that were moved: 1 is best."""
    transfers, fewest = sums(traffic, "global")
    return fewest / transfers if transfers else 1.0


def bank_conflicts(traffic: Traffic) -> float:
    """The turns in which shared memory answered over the fewest: 1 is best."""
    transfers, fewest = sums(traffic, "shared")
    return transfers / fewest if fewest else 1.0


def sums(traffic: Traffic, space: str) -> tuple[int, int]:
    """All transfers of a space, and the fewest."""
    sites = [site for site in traffic.sites if site.space == space]
    return sum(site.transfers for site in sites), sum(site.ideal for site in sites)


def worst(traffic: Traffic, space: str) -> tuple[Site, ...]:
    """The places with more transfers than the fewest, those with the most above them first."""
    return _most(
        (s for s in traffic.sites if s.space == space and s.transfers > s.ideal), lambda s: s.transfers - s.ideal
    )


def _most(sites: Iterable[Site], number: Callable[[Site], int]) -> tuple[Site, ...]:
    return tuple(sorted(sites, key=lambda site: (-number(site), site.line)))


def _launches(found: int, most: int) -> Breach:
    advice = "What one kernel leaves in memory the next one has to read again: let one kernel do it all."
    return Breach(f"launches {found} kernel{'s' * (found != 1)}, at most {most}", advice)


def _bytes(traffic: Traffic, cost: Cost, most: float) -> Breach:
    factor = _times(traffic.global_bytes / cost.num_bytes) if cost.num_bytes else "more than 0×"
    text = f"moves {factor} the fewest bytes ({traffic.global_bytes:,} of {cost.num_bytes:,}); at most {most:g}×"
    advice = "Keep on the chip what is needed again, instead of loading it a second time."
    sites = _most((s for s in traffic.sites if s.space == "global"), lambda s: s.num_bytes)
    return Breach(text, advice, sites)


def _sectors(traffic: Traffic, least: float) -> Breach:
    sites = worst(traffic, "global")
    site = sites[0]
    why = f"neighbouring threads {_READ[site.kind]} {_shown(site)} far apart"
    if site.excess < FAR_APART:
        why = f"its accesses to {_shown(site)} begin or end within a sector"
    text = f"{_place(site)} {_READS[site.kind]} {_times(site.excess)} the sectors it needs: {why}"
    bound = f" ({math.floor(100 * coalesced(traffic))}% of all sectors are needed, at least {least:.0%})"
    return Breach(text + bound, "Let neighbouring threads take neighbouring elements.", sites)


def _banks(traffic: Traffic, most: float) -> Breach:
    sites = worst(traffic, "shared")
    site = sites[0]
    turns, fewest = (number / max(site.requests, 1) for number in (site.transfers, site.ideal))
    conflict = f"({round(site.excess)}-way bank conflict) in {_shown(site)}"
    text = f"{_place(site)}: shared memory answers in {turns:.3g} turns instead of {fewest:.3g} {conflict}"
    bound = f"; {_times(bank_conflicts(traffic))} the fewest turns in all, at most {most:g}×"
    advice = "Threads of a warp that want different words of one bank wait for each other: pad the rows by one element."
    return Breach(text + bound, advice, sites)


def _place(site: Site) -> str:
    return f"line {site.line}" if site.line else "a kernel"


def _shown(site: Site) -> str:
    return f"`{site.name}`" if site.name else "memory"


def _times(factor: float) -> str:
    """`8.0×`; near 1 with the digits that tell it from a bound."""
    return f"{factor:.1f}×" if factor >= FAR_APART else f"{factor:.3f}×"
