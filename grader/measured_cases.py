"""The verdicts on cases that have no settings: what was counted, and what was timed. Pure functions, as the judge."""

from __future__ import annotations

from collections.abc import Sequence

from grader import bounds
from grader.bounds import Counted
from grader.exercise import EfficiencyCase, PerformanceCase
from grader.records import Finding, Kind, Setting
from grader.report import CaseReport, EfficiencyReport, PerformanceReport, SiteReport
from grader.status import Status
from grader.timing import evidence
from grader.timing.marks import Mark, mark, share_is_of, share_of
from grader.timing.measurement import CaseResult
from shared.traffic import Site

NEEDS_GPU = "needs a GPU: speed is never judged on a CPU"
NO_CLOCK = "the clock gave no result"
NO_COUNT = "nothing was counted"
CORRECTNESS_FIRST = "not timed: the submission has to be correct first"
COUNTED_WHEN_CORRECT = "not counted: the submission has to be correct first"


def efficiency(case: EfficiencyCase, counted: Counted | None, settings: Sequence[Setting]) -> CaseReport:
    """The verdict on one counted case: only what is right is counted."""
    if counted is not None:
        given = bounds.mark(case, counted)
        return _judged(case.name, Kind.EFFICIENCY, case.points, given, efficiency=_counts(counted))
    if any(setting.finding.costs_points for setting in settings):
        given = Mark(0, Finding(Status.NOT_RUN, COUNTED_WHEN_CORRECT))
        return _judged(case.name, Kind.EFFICIENCY, case.points, given)
    blocked = next((s.finding.summary for s in settings if s.finding.nobodys_fault), "")
    return unmeasured(case.name, Kind.EFFICIENCY, case.points, f"not counted: {blocked}" if blocked else NO_COUNT)


def _counts(counted: Counted) -> EfficiencyReport | None:
    traffic = counted.traffic
    if traffic is None:
        return None
    sectors, fewest_sectors = bounds.sums(traffic, "global")
    wavefronts, fewest_wavefronts = bounds.sums(traffic, "shared")
    worst = [*bounds.worst(traffic, "global"), *bounds.worst(traffic, "shared")]
    return EfficiencyReport(
        launches=traffic.launches,
        num_bytes=traffic.global_bytes,
        fewest_bytes=counted.cost.num_bytes,
        sectors=sectors,
        fewest_sectors=fewest_sectors,
        wavefronts=wavefronts,
        fewest_wavefronts=fewest_wavefronts,
        barriers=traffic.barriers,
        worst=_site(worst[0]) if worst else None,
    )


def _site(site: Site) -> SiteReport:
    return SiteReport(
        line=site.line,
        kind=site.kind,
        space=site.space,
        name=site.name,
        requests=site.requests,
        num_bytes=site.num_bytes,
        transfers=site.transfers,
        fewest_transfers=site.ideal,
    )


def performance(case: PerformanceCase, result: CaseResult | None, wrong: bool, device: str, source: str) -> CaseReport:
    """The verdict on one timed case: only what is right is timed."""
    if device == "cpu" or (result is None and not wrong):
        return unmeasured(case.name, Kind.PERFORMANCE, case.points, NEEDS_GPU if device == "cpu" else NO_CLOCK)
    if result is None:
        return _timed(case, Mark(0, Finding(Status.NOT_RUN, CORRECTNESS_FIRST)))
    if result.measurement is None:
        assert result.status is not None
        found = Finding(result.status, result.message, result.details, result.diagnosis, result.lines)
        return _timed(case, Mark(0, found))
    given = mark(result.measurement, case)
    notes = evidence.notes(given, result, source)
    return _judged(case.name, Kind.PERFORMANCE, case.points, given, notes=notes, performance=_numbers(case, result))


def _timed(case: PerformanceCase, given: Mark) -> CaseReport:
    """A timed case without numbers."""
    return _judged(case.name, Kind.PERFORMANCE, case.points, given)


def _judged(
    name: str,
    kind: Kind,
    points: int,
    given: Mark,
    *,
    notes: Sequence[str] = (),
    efficiency: EfficiencyReport | None = None,
    performance: PerformanceReport | None = None,
) -> CaseReport:
    """A case without settings, worth `points`."""
    finding = given.finding
    said = [finding.diagnosis] if finding.diagnosis else []
    return CaseReport(
        name=name,
        title="",
        kind=kind,
        status=finding.status,
        points=given.points,
        max_points=points,
        not_measured_points=points if finding.nobodys_fault else 0,
        hidden=False,
        setting="",
        message=joined(finding.summary, finding.details),
        diagnosis="; ".join([*said, *notes]),
        lines=list(finding.lines),
        output="",
        settings=[],
        efficiency=efficiency,
        performance=performance,
    )


def _numbers(case: PerformanceCase, result: CaseResult) -> PerformanceReport:
    measured = result.measurement
    assert measured is not None
    return PerformanceReport(
        time_ms=measured.time_ms.median,
        low_ms=measured.time_ms.low,
        high_ms=measured.time_ms.high,
        samples=measured.time_ms.samples,
        calls=measured.calls,
        share=share_of(measured, case)[1],
        share_of=share_is_of(case),
        speedup=measured.speedup,
        baseline_ms=measured.baseline_ms.median,
        events_ms=measured.events_ms,
        memory=measured.memory,
        ceilings=measured.ceilings,
        drift=measured.drift,
        health=measured.health,
        kernels=list(result.kernels),
        ways=list(measured.ways),
    )


def unmeasured(name: str, kind: Kind, points: int, reason: str) -> CaseReport:
    """A case that this machine or this copy cannot judge."""
    return _judged(name, kind, points, Mark(0, Finding(Status.NOT_MEASURED, reason)))


def joined(summary: str, details: str) -> str:
    """Both parts of a finding, as far as they are there."""
    return f"{summary}: {details}" if summary and details else summary or details
