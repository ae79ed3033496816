"""The judge: pure functions from an exercise and its evidence to the report. Nothing runs here."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict

from grader.exercise import Exercise, PerformanceCase
from grader.records import PASSED, Finding, Kind, Setting, Visibility
from grader.report import (
    CaseReport,
    Device,
    Environment,
    ExerciseReport,
    KernelReport,
    PerformanceReport,
    Report,
    SettingReport,
)
from grader.status import Status, first
from grader.timing import evidence
from grader.timing.marks import Mark, mark, share_is_of, share_of
from grader.timing.measurement import CaseResult
from shared.compiled_kernels import Compiled

HELD_BY_STAFF = "held by staff: these cases run when the course grades your submission"
NEEDS_GPU = "needs a GPU: speed is never judged on a CPU"
NOT_COMPILED = Compiled()
NO_CLOCK = "the clock gave no result"
CORRECTNESS_FIRST = "not timed: the submission has to be correct first"


def judge(
    exercise: Exercise,
    settings: Sequence[Setting],
    device: str,
    timed: Sequence[CaseResult] = (),
    source: str = "",
    compiled: Compiled = NOT_COMPILED,
) -> ExerciseReport:
    """The verdict on one exercise; `timed` is the evidence of the clock, where there is any.

    `source` is the submission's text where the kernels that run are to be its own; `compiled` is what Triton's
    compiler said, where it was asked.
    """
    tests = list(dict.fromkeys(setting.test for setting in settings))
    cases = [_case([s for s in settings if s.test == test]) for test in tests]
    if not exercise.has_hidden_tests and exercise.points.hidden:
        cases.append(_unmeasured("hidden tests", Kind.CORRECTNESS, exercise.points.hidden, HELD_BY_STAFF))
    results = {result.name: result for result in timed}
    wrong = any(setting.finding.costs_points for setting in settings)
    cases += [_performance(case, results.get(case.name), wrong, device, source) for case in exercise.performance]
    return _exercise(exercise, cases, compiled)


def failed_to_judge(exercise: Exercise, reason: str) -> ExerciseReport:
    """The report of an exercise that could not be judged by our own fault."""
    setting = Setting(
        test="(the grader)",
        name="(the grader)",
        title="",
        points=exercise.max_points,
        visibility=Visibility.FULL,
        hidden=False,
        finding=Finding(Status.GRADER_ERROR, "the grader failed", details=reason),
    )
    return _exercise(exercise, [_case([setting])])


def total(exercises: Sequence[ExerciseReport], device: Device, environment: Environment, seed: int) -> Report:
    """The report of a whole run."""
    return Report(
        device=device,
        environment=environment,
        seed=seed,
        points=sum(e.points for e in exercises),
        max_points=sum(e.max_points for e in exercises),
        not_measured_points=sum(e.not_measured_points for e in exercises),
        exercises=list(exercises),
    )


def _exercise(exercise: Exercise, cases: list[CaseReport], compiled: Compiled = NOT_COMPILED) -> ExerciseReport:
    status = first(case.status for case in cases)
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        file=exercise.file,
        status=status,
        points=sum(case.points for case in cases),
        max_points=exercise.max_points,
        not_measured_points=sum(case.not_measured_points for case in cases),
        next_step=next_step(status, exercise.name, exercise.file, _first_failed(cases, status)),
        cases=cases,
        kernels=[KernelReport(**asdict(kernel)) for kernel in compiled.kernels],
        kernels_note=f"not everything was compiled: {compiled.problem}" if compiled.problem else "",
    )


def _case(settings: list[Setting]) -> CaseReport:
    """One test function: all or nothing over its settings."""
    telling = _most_telling(settings)
    finding = telling.finding.seen_as(telling.visibility)
    shows_output = telling.visibility is Visibility.FULL
    return CaseReport(
        name=telling.test,
        title=telling.title,
        kind=Kind.CORRECTNESS,
        status=finding.status,
        points=telling.points if finding.status is Status.PASSED else 0,
        max_points=telling.points,
        not_measured_points=telling.points if finding.nobodys_fault else 0,
        hidden=telling.hidden,
        setting=_name(telling) if len(settings) > 1 and finding is not PASSED else "",
        message=_join(finding.summary, finding.details),
        diagnosis=finding.diagnosis,
        lines=list(finding.lines),
        output=telling.output if shows_output else "",
        settings=[_setting(setting) for setting in settings],
    )


def _most_telling(settings: list[Setting]) -> Setting:
    """The first failed setting of the first status; a passed case has passed settings only."""
    failed = [s for s in settings if s.finding.costs_points]
    failed = failed or [s for s in settings if s.finding.status is not Status.PASSED]
    if not failed:
        return settings[0]
    status = first(s.finding.status for s in failed)
    return next(s for s in failed if s.finding.status is status)


def _setting(setting: Setting) -> SettingReport:
    finding = setting.finding.seen_as(setting.visibility)
    return SettingReport(
        name=_name(setting),
        status=finding.status,
        message=_join(finding.summary, finding.details),
        seconds=round(setting.seconds, 3),
    )


def _name(setting: Setting) -> str:
    """The setting with its parameters, unless even those are hidden."""
    return setting.test if setting.visibility is Visibility.NONE else setting.name


def _join(summary: str, details: str) -> str:
    return f"{summary}: {details}" if summary and details else summary or details


def _performance(case: PerformanceCase, result: CaseResult | None, wrong: bool, device: str, source: str) -> CaseReport:
    """The verdict on one timed case: only what is right is timed."""
    if device == "cpu" or (result is None and not wrong):
        return _unmeasured(case.name, Kind.PERFORMANCE, case.points, NEEDS_GPU if device == "cpu" else NO_CLOCK)
    if result is None:
        return _timed(case, Mark(0, Finding(Status.NOT_RUN, CORRECTNESS_FIRST)), None)
    if result.measurement is None:
        assert result.status is not None
        found = Finding(result.status, result.message, result.details, result.diagnosis, result.lines)
        return _timed(case, Mark(0, found), None)
    given = mark(result.measurement, case)
    return _timed(case, given, _numbers(case, result), evidence.notes(given, result, source))


def _timed(
    case: PerformanceCase, given: Mark, numbers: PerformanceReport | None, notes: Sequence[str] = ()
) -> CaseReport:
    finding = given.finding
    said = [finding.diagnosis] if finding.diagnosis else []
    return CaseReport(
        name=case.name,
        title="",
        kind=Kind.PERFORMANCE,
        status=finding.status,
        points=given.points,
        max_points=case.points,
        not_measured_points=case.points if finding.nobodys_fault else 0,
        hidden=False,
        setting="",
        message=_join(finding.summary, finding.details),
        diagnosis="; ".join([*said, *notes]),
        lines=list(finding.lines),
        output="",
        settings=[],
        performance=numbers,
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


def _unmeasured(name: str, kind: Kind, points: int, reason: str) -> CaseReport:
    return CaseReport(
        name=name,
        title="",
        kind=kind,
        status=Status.NOT_MEASURED,
        points=0,
        max_points=points,
        not_measured_points=points,
        hidden=False,
        setting="",
        message=reason,
        diagnosis="",
        lines=[],
        output="",
        settings=[],
    )


_NEXT_STEPS = {
    Status.GRADER_ERROR: "This is not your fault: tell the course staff and send them this report.",
    Status.FORBIDDEN: "Write the part that is asked for yourself; README.md of the exercise says which calls are out.",
    Status.SUSPECT: "A person will look at this measurement; there is nothing to do.",
    Status.INVALID_SUBMISSION: "Put the file at exercises/{name}/{file}, with the functions that its README.md names.",
    Status.COMPILE_ERROR: "Fix the first error that the compiler names; later ones often follow from it.",
    Status.CRASHED: "Find what ends the process: run `python -m grader debug {name} --case {case}`.",
    Status.TIMEOUT: "Find the loop that does not end: interrupt `python -m grader debug {name} --case {case}`.",
    Status.MEMORY_ERROR: "Check each index against the size of its tensor: masks, bounds, strides.",
    Status.RACE: "Order the accesses: a barrier between a write and the reads of other threads, or an atomic.",
    Status.RUNTIME_ERROR: "Start at the line shown last; run `python -m grader debug {name} --case {case}`.",
    Status.WRONG_SHAPE: "Compare the shape you allocate with the one README.md asks for.",
    Status.WRONG_DTYPE: "Allocate the result in the dtype of the input, for example with torch.empty_like.",
    Status.INCORRECT: "Read the pattern above; `python -m grader debug {name} --case {case}` runs one case in place.",
    Status.INEFFICIENT: "It is right; now look at which bytes are moved more than once.",
    Status.TOO_SLOW: "It is right; now compare your share of the device with the target in README.md.",
    Status.NOT_ATTEMPTED: "Open exercises/{name}/{file}, find TODO, and read exercises/{name}/README.md first.",
    Status.NOT_RUN: "See the message: something else has to work first.",
    Status.PASSED: "Everything that can be measured here passes.",
    Status.NOT_MEASURED: "Nothing of this exercise can be measured here.",
}


def next_step(status: Status, name: str, file: str, case: str = "CASE") -> str:
    """One sentence on what to do next; `case` is where to look first."""
    return _NEXT_STEPS[status].format(name=name, file=file, case=case)


def _first_failed(cases: Sequence[CaseReport], status: Status) -> str:
    """The case, or its setting, that gave the exercise its status; quoted for a shell."""
    found = next((case for case in cases if case.status is status), None)
    return shlex.quote(found.setting or found.name) if found else "CASE"
