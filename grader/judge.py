"""The judge: pure functions from an exercise and its evidence to the report. Nothing runs here."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from grader.bounds import Counted
from grader.exercise import Exercise
from grader.measured_cases import efficiency, joined, performance, unmeasured
from grader.records import PASSED, Finding, Kind, Setting, Visibility
from grader.report import (
    CaseReport,
    Device,
    Environment,
    ExerciseReport,
    KernelReport,
    Report,
    SettingReport,
)
from grader.status import Status, first
from grader.timing.measurement import CaseResult
from shared.compiled_kernels import Compiled

HELD_BY_STAFF = "held by staff: these cases run when the course grades your submission"
NOT_COMPILED = Compiled()


def judge(
    exercise: Exercise,
    settings: Sequence[Setting],
    device: str,
    timed: Sequence[CaseResult] = (),
    source: str = "",
    counted: Mapping[str, Counted] | None = None,
    compiled: Compiled = NOT_COMPILED,
) -> ExerciseReport:
    """The verdict on one exercise; `timed` is the evidence of the clock, where there is any, `counted` that of counts.

    `source` is the submission's text where the kernels that run are to be its own; `compiled` is what a GPU's
    compiler said, where it was asked.
    """
    tests = list(dict.fromkeys(setting.test for setting in settings))
    cases = [_case([s for s in settings if s.test == test]) for test in tests]
    if not exercise.has_hidden_tests and exercise.points.hidden:
        cases.append(unmeasured("hidden tests", Kind.CORRECTNESS, exercise.points.hidden, HELD_BY_STAFF))
    results = {result.name: result for result in timed}
    wrong = any(setting.finding.costs_points for setting in settings)
    cases += [efficiency(case, (counted or {}).get(case.name), settings) for case in exercise.efficiency]
    cases += [performance(case, results.get(case.name), wrong, device, source) for case in exercise.performance]
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
        message=joined(finding.summary, finding.details),
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
        message=joined(finding.summary, finding.details),
        seconds=round(setting.seconds, 3),
    )


def _name(setting: Setting) -> str:
    """The setting with its parameters, unless even those are hidden."""
    return setting.test if setting.visibility is Visibility.NONE else setting.name


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
    Status.INEFFICIENT: "It is right; now look at what it moves: the message names the bound and the line.",
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
