"""Grade one file at one level of the sandbox, as a course would, and say what is wrong with the outcome."""

from __future__ import annotations

import io
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

import pytest
from rich.console import Console

from grader.boundary.host import cache_folder
from grader.boundary.sandbox import Level, lacks
from grader.boundary.server import Plan, Server
from grader.boundary.workers import ROOT, Workers
from grader.exercise import Exercise
from grader.grade import Target, correctness, hosted
from grader.judge import failed_to_judge, judge
from grader.records import Setting
from grader.report import ExerciseReport
from grader.status import Status
from grader.submission import collect
from grader.terminal import render_exercise
from tests.corpus import traces
from tests.corpus.course import Course
from tests.corpus.header import Header

CHECKED_EVERY = 8
"""Files after which a known-good submission is graded; after those that aim at the next one it always is."""
TOO_LONG_S = 60.0
LONGEST_REPORT = 500_000
"""Characters of one exercise's report: prints of each case are cut to `output_kb`, and all else is short."""


@dataclass(frozen=True)
class Outcome:
    """What became of one file."""

    header: Header
    level: str
    status: str
    points: int
    max_points: int
    seconds: float
    wrong: tuple[str, ...]  # empty when everything is as it has to be

    @property
    def got(self) -> str:
        return f"{self.status} {self.points}/{self.max_points}"


class _Watched(Workers):
    """Remembers whose sandboxes were taken, and keeps one more of them ready than a grader needs."""

    identities: tuple[traces.Identity, ...] = ()

    def take(self, plan: Plan) -> Server:
        self._wanted[plan] = max(3, self._wanted[plan])
        self._refill(plan, ahead=2)
        server = super().take(plan)
        self.identities += (traces.identity(server),)
        return server

    def waiting(self) -> set[int]:
        """The processes of those that nobody has taken yet."""
        return {pid for servers in self._waiting.values() for server in servers for pid in server.cell.pids()}


class Runner:
    """A course, and the workers of one level; leaving the context removes both."""

    def __init__(self, level: Level, device: str = "cpu", shared: bool = False) -> None:
        """Nothing is graded yet."""
        self.level = level
        self.course = Course()
        self._cache = _private_cache(self.course.folder / "cache")
        self.workers = _Watched(level=level, shared=shared)
        self.target = Target(device, seed=secrets.randbelow(2**31))  # as staff would: nobody knows it beforehand
        self._since_checked = 0
        self.workers.runtime()

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.workers.__exit__(kind, error, trace)
        self._cache.undo()
        self.course.close()

    def run(self, header: Header) -> Outcome:
        """Grade the file, look for traces, and grade a known-good one where it is due."""
        if self.level is Level.NONE and header.against == "sandbox":
            raise ValueError(f"{header.path.name} would do what it says: nothing holds it at the level none")
        began = time.monotonic()
        if header.after is not None:
            self._graded(header.exercise, self.course.addressed(header.after.read_text(encoding="utf-8")))
        before = self._files()
        self.workers.identities = ()
        text = self.course.addressed(header.path.read_text(encoding="utf-8"))
        report, settings = self._graded(header.exercise, text)
        seconds = time.monotonic() - began
        wrong = [*_judged(header, report), *self._found(before, report, settings)]
        if seconds > TOO_LONG_S:
            wrong.append(f"took {seconds:.0f} s")
        outcome = Outcome(
            header, self.level.value, report.status.value, report.points, report.max_points, seconds, tuple(wrong)
        )
        return self._with_the_next(outcome)

    def known_good(self) -> list[str]:
        """Grade a known-good submission of each exercise; what is wrong with the verdicts."""
        return [text for name in ("double", "double_cuda") if (text := self._known_good(name))]

    def _known_good(self, name: str) -> str:
        report, _ = self._graded(name, self.course.known_good(name))
        is_right = report.status is Status.PASSED and report.points == report.max_points
        return "" if is_right else f"the next submission: {_telling(report)}"

    def _with_the_next(self, outcome: Outcome) -> Outcome:
        self._since_checked += 1
        header = outcome.header
        if not header.attacks_next and self._since_checked < CHECKED_EVERY and not outcome.wrong:
            return outcome
        self._since_checked = 0
        name = header.exercise if header.exercise in ("double", "double_cuda") else "double"
        problem = self._known_good(name)
        return replace(outcome, wrong=(*outcome.wrong, problem)) if problem else outcome

    def _graded(self, name: str, text: str) -> tuple[ExerciseReport, list[Setting]]:
        exercise: Exercise = self.course.exercises[name]
        path = self.course.folder / f"handed-in{Path(exercise.file).suffix}"
        path.write_text(text, encoding="utf-8")
        submission = collect(exercise, path)
        path.unlink()
        settings: list[Setting] = []
        try:
            with hosted(exercise, submission, self.target.device, self.workers) as host:
                settings = correctness(exercise, submission, host, self.target, lambda *names: None)
            return judge(exercise, settings, self.target.device), settings
        except Exception as error:  # what `grade_one` would call a fault of ours
            return failed_to_judge(exercise, f"{type(error).__name__}: {error}"), settings

    def _files(self) -> dict[str, tuple[int, int, int]]:
        places = [ROOT / "grader", ROOT / "shared", self.workers._view.code, self.workers._view.cache]
        return traces.snapshot([*places, self.course.folder])

    def _found(
        self, before: dict[str, tuple[int, int, int]], report: ExerciseReport, settings: list[Setting]
    ) -> Iterator[str]:
        leak = self.course.leak(report, settings)
        if leak:
            yield leak
        changed = traces.changed(before, self._files())
        if changed:
            yield f"changed {changed[0]}" + (f" and {len(changed) - 1} more" if len(changed) > 1 else "")
        if not self.workers.shared:
            for left in traces.processes(self.workers.identities, self.workers.waiting):
                yield f"still running: {left}"
            for path in traces.files(self.workers.identities):
                yield f"left {path}"
        size = len(report.model_dump_json())
        if size > LONGEST_REPORT:
            yield f"the report has {size:,} characters"
        yield from _rendered(report)


def _private_cache(folder: Path) -> pytest.MonkeyPatch:
    """Compiled parts of the grader in a folder that no other grader of this machine changes meanwhile."""
    try:
        shutil.copytree(cache_folder(), folder / "kernel-grader", copy_function=os.link)
    except (OSError, shutil.Error):  # another file system, or another grader at work: it will be compiled anew
        shutil.rmtree(folder, ignore_errors=True)
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(folder))
    return patch


def _judged(header: Header, report: ExerciseReport) -> Iterator[str]:
    if report.status is Status.GRADER_ERROR:
        yield f"counts as a fault of the grader: {_telling(report)}"
    elif header.expected and report.status not in header.expected:
        yield f"got {_telling(report)}"
    allowed = report.max_points if header.worth is None else header.worth
    if report.points > allowed:
        yield f"earned {report.points}, deserves {allowed}"
    if not header.expected and report.points < allowed:
        yield f"earned only {report.points} of the {allowed} that it deserves"
    if report.not_measured_points and Status.NOT_RUN not in header.expected:
        yield f"{report.not_measured_points} points are not lost"


def _telling(report: ExerciseReport) -> str:
    case = next(case for case in report.cases if case.status is report.status)
    return f"{report.status.value}: {case.message or case.diagnosis}"[:400]


def _rendered(report: ExerciseReport) -> Iterator[str]:
    """What a submission prints must not break the terminal that shows it."""
    shown = io.StringIO()
    Console(file=shown, width=100, force_terminal=False).print(render_exercise(report))
    if "\x1b" in shown.getvalue():
        yield "an escape sequence reaches the terminal"


def levels() -> dict[Level, str]:
    """Each level that a stranger's file may be graded at, and why this host lacks it (empty when it does not)."""
    found = {level: lack for level, lack in lacks().items() if level is not Level.NONE}
    return {level: f"{lack.reason}; try: {lack.mend}" if lack else "" for level, lack in found.items()}


def planned(headers: list[Header], lacking: dict[Level, str], device: str = "cpu") -> list[tuple[Level, Header]]:
    """All files of a device at the best level; at another one those against the sandbox: the verdict is the same there.

    Levels that this host lacks are in it too, for whoever reads what was not run. Where it has none, what is only about
    the verdict is graded without.
    """
    own = [header for header in headers if header.device == device]
    best = next((level for level, lack in lacking.items() if not lack), Level.NONE)
    rows = [(best, header) for header in own if best is not Level.NONE or header.against == "verdict"]
    others = [level for level in lacking if level is not best]
    return rows + [(level, header) for level in others for header in own if header.against == "sandbox"]
