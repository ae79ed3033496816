"""Submission and baseline on the track: one arena for both, and batches that are long enough for each."""

from __future__ import annotations

import contextlib
from statistics import median

from grader.boundary.session import Session
from grader.exercise import Exercise
from grader.records import Failure, Finding
from grader.status import Status
from grader.timing.arena import LEARNING, Arena
from grader.timing.batches import BATCH_MS, LONG_ENOUGH_MS, SHORTEST_MS, calls_in_a_batch
from grader.timing.plan import Plan, as_baseline
from grader.timing.race import NotMeasured, Result
from grader.timing.racer import Device, GpuRacer

HOPELESS, HOPELESS_MS = 20.0, 1000.0
"""A call that takes so many times as long as the baseline's, and so long, gets no race."""
WAY_TURNS = 4


class Rivals:
    """Submission and baseline on the same inputs; entering fixes how many calls make a batch."""

    submission: GpuRacer
    baseline: GpuRacer

    def __init__(self, plan: Plan, count: int, device: Device) -> None:
        """Make the arena for `count` calls; nobody shares it yet."""
        self._plan = plan
        self._device = device
        self._arena = Arena(plan.new_draw(), plan.outputs, count)

    def enter(self, exercise: Exercise, text: str, submission: Session, baseline: Session) -> None:
        """Share the arena with both workers, first with the one that is trusted, and pace them."""
        for _ in range(LEARNING):
            self._arena.refill(self._arena.count)
        self.baseline = self._trusted(baseline, as_baseline(exercise), "baseline")
        self.submission = self._racer(submission, exercise, exercise.entries[0].name, self._arena.count, source=text)
        self._pace(self.baseline)
        self._pace(self.submission)

    def lengthen(self, result: Result) -> bool:
        """Whether the submission's batches were too short, and longer ones are possible: then they are set."""
        racer = self.submission
        batch_ms = result.submission.median * racer.count
        if batch_ms < LONG_ENOUGH_MS and racer.count < self._arena.count:
            racer.count = min(self._arena.count, calls_in_a_batch(max(batch_ms, 0.1) / racer.count))
            return True
        if batch_ms < SHORTEST_MS and self._arena.count < self._plan.count:
            text = f"needs so much GPU memory that only {racer.count} calls fit into a batch: too few to be timed"
            raise Failure(Finding(Status.RUNTIME_ERROR, text, diagnosis="What is kept after a call?"))
        if batch_ms < SHORTEST_MS:
            raise NotMeasured(f"{racer.count} calls take {batch_ms:.1f} ms: too little to be timed")
        return False

    def rest(self) -> None:
        """After the race: both give back what they hold."""
        self.submission.close()
        self.baseline.close()

    def time_of(self, session: Session, exercise: Exercise, entry: str, fixed_ms: float) -> float:
        """Milliseconds of one call of trusted code, once both rest; its first outputs are checked."""
        if exercise.prototypes:
            racer = self._racer(session, exercise, entry, self._arena.count)
        else:
            racer = self._trusted(session, exercise, entry)
        try:
            racer.count = min(racer.count, pace(racer, second_time(racer, 1)))
            racer.settle()
            turns = [racer.turn() for _ in range(WAY_TURNS)]
            return median((turn.batch_ms - fixed_ms) / turn.calls for turn in turns if not turn.void)
        finally:
            racer.close()

    def _trusted(self, session: Session, exercise: Exercise, entry: str) -> GpuRacer:
        count = min(self._arena.count, self._plan.baseline_count)
        return self._racer(session, exercise, entry, count, trusted=True)

    def _racer(
        self, session: Session, exercise: Exercise, entry: str, count: int, *, trusted: bool = False, source: str = ""
    ) -> GpuRacer:
        """A racer whose batches have at most so many calls."""
        racer = GpuRacer(
            session, exercise, entry, self._arena, self._plan.oracle, self._device,
            reserve=self._plan.output_bytes * count, trusted=trusted, source=source,
        )  # fmt: skip
        racer.count = count
        return racer

    def leave(self) -> None:
        """Give all shared memory back."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._arena.free)
            for name in ("submission", "baseline"):
                if hasattr(self, name):
                    stack.callback(getattr(self, name).close)

    def only_submission_was_busy(self) -> bool:
        """Whether the GPU was at work after the submission's batches, and never after the baseline's."""
        return bool(self.submission.busy_turns) and not self.baseline.busy_turns

    def _pace(self, racer: GpuRacer) -> None:
        """Set how many calls make a batch, unless one call is so slow that nothing is left to be measured."""
        each_ms = second_time(racer, 1)
        if racer is self.baseline:
            self._baseline_ms = each_ms
        elif each_ms > max(HOPELESS_MS, HOPELESS * self._baseline_ms):
            text = f"one call takes {each_ms / 1e3:.1f} s, {each_ms / self._baseline_ms:,.0f} × the baseline's time"
            raise Failure(Finding(Status.TOO_SLOW, text))
        racer.count = min(racer.count, pace(racer, each_ms))
        racer.settle()


def pace(racer: GpuRacer, each_ms: float) -> int:
    """How many calls make a batch."""
    count, batch_ms = 1, each_ms
    while batch_ms < BATCH_MS / 2 and count < racer.count:
        count = min(racer.count, count * 8)
        batch_ms = racer.batch(count)[0]
    return calls_in_a_batch(batch_ms / count)


def second_time(racer: GpuRacer, count: int) -> float:
    """Milliseconds of a batch that is run twice, since the first time compiles, or allocates."""
    racer.batch(count)
    return racer.batch(count)[0]
