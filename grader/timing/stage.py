"""Submission and baseline of one exercise, each in its worker, timed case after case."""

from __future__ import annotations

import contextlib
import random
import time
from typing import Any

import torch

from grader.boundary import lending
from grader.boundary.host import Host
from grader.boundary.replies import Raised
from grader.boundary.session import Session
from grader.boundary.workers import Workers
from grader.exercise import Exercise, PerformanceCase
from grader.records import Failure, Finding
from grader.rules import Called
from grader.status import Status
from grader.timing import ceilings, health
from grader.timing.arena import Arena
from grader.timing.host_copies import HostRivals
from grader.timing.idle import Idleness
from grader.timing.marks import MAX_DRIFT
from grader.timing.measurement import CUDA_IPC, HOST_COPIES, Kernel, Measurement, Way
from grader.timing.plan import Plan, as_baseline, make_plan, reference_text, warm_up
from grader.timing.race import NotMeasured, Result, race
from grader.timing.racer import OUT_OF_MEMORY, GpuRacer
from grader.timing.rivals import Rivals
from shared import cuda_ipc

BUDGET_S = 20.0
PROFILED_CALLS = 2
ATTEMPTS = 2  # races of a case when the device was not ours alone
SETTLE_TRIES, SETTLE_S = 4, 0.5


class Stage:
    """Two workers, and one measurement after the other; `close` ends them."""

    shares_memory = True
    """Whether CUDA shares memory between processes here; found out by trying."""
    compare = False
    """Whether to time the other ways too."""
    solution = ""
    """The staff's file, for that, where there is one."""

    def __init__(self, exercise: Exercise, text: str, workers: Workers, uuid: str) -> None:
        """Measure the ceilings; neither file is loaded yet."""
        self.exercise = exercise
        self.uuid = uuid
        warm_up(exercise)
        workers.wait()
        self._copies = ceilings.Copies()
        self.device = Idleness(self._copies)
        self.ceilings = ceilings.measure(uuid, self._copies)
        self._workers = workers
        self._plans: dict[str, Plan] = {}
        self._submission = Host(exercise, text, "cuda", workers)
        self._baseline = Host(as_baseline(exercise), reference_text(exercise), "cuda", workers)

    def replace(self, text: str) -> None:
        """Another submission, in a worker of its own, against the same baseline."""
        self._submission.close()
        self._submission = Host(self.exercise, text, "cuda", self._workers)

    def measure(self, case: PerformanceCase) -> Measurement:
        """Time one case. Raises Failure of the submission, and NotMeasured."""
        for each in (*self.exercise.performance, case):  # before the submission holds any memory
            if each.name not in self._plans:
                _opened(self._baseline)
                self._plans[each.name] = make_plan(self.exercise, each, self.ceilings)
        return self._attempts(self._plans[case.name])

    def sessions(self) -> tuple[Session, Session]:
        """Of the submission's worker and of the baseline's, each with its file loaded."""
        return _opened(self._submission), _opened(self._baseline)

    def _attempts(self, plan: Plan) -> Measurement:
        """Fewer calls where memory does not hold them; once more where the GPU was busy, with a fresh worker."""
        count, was_busy = plan.count, False
        while True:
            try:
                return self._measure(plan, count, *self.sessions())
            except cuda_ipc.IpcError:
                if not self.shares_memory:
                    raise
                self.shares_memory = False
            except (Raised, torch.OutOfMemoryError) as error:
                if not _is_out_of_memory(error) or count == 1:
                    raise self._explained(error, plan) from error
                count = max(1, count // 4)
            except _Busy as busy:
                if was_busy:
                    raise self._busy(busy) from None
                was_busy = True
                self._submission.close()  # ends its worker, and with it whatever it has left on the device
                self.device.await_idle()

    def _busy(self, busy: _Busy) -> Exception:
        """Who kept the GPU busy, twice: the submission, if it was idle after the baseline and is idle without it."""
        self._submission.close()
        if busy.is_the_submissions and self.device.stays_idle():
            text = "left work running on the GPU after its calls had returned"
            return Failure(Finding(Status.SUSPECT, text, details="twice; the GPU was idle without it"))
        return NotMeasured(str(busy))

    def _explained(self, error: Raised | torch.OutOfMemoryError, plan: Plan) -> Exception:
        """What it means that even one call did not fit: whose memory was it?"""
        if isinstance(error, Raised):
            return _with_hint(error) if _is_out_of_memory(error) else error
        self._submission.close()
        torch.cuda.empty_cache()
        if torch.cuda.mem_get_info()[0] < plan.bytes_at_least:
            return error
        text = "holds so much of the GPU's memory that not even one call can be timed"
        return Failure(Finding(Status.RUNTIME_ERROR, text, diagnosis="What is kept after a call, or at import?"))

    def inspect(self, case: PerformanceCase, calls: int = PROFILED_CALLS) -> tuple[tuple[Kernel, ...], Called]:
        """What the worker's instruments see of one call: kernels (CUPTI), operations of torch, launches.

        Evidence, to be taken when all races are run: a profiler may make launches slower from then on.
        """
        plan = self._plans[case.name]
        arena = Arena(plan.new_draw(), plan.outputs, calls)
        try:
            arena.refill(calls)
            found = self._inspected(arena, plan, calls)
        finally:
            arena.free()
        kernels = tuple(Kernel(name, launches / calls, ms / calls) for name, launches, ms in found["kernels"])
        return kernels, Called.of(found.get("operations", []), found.get("launches"))

    def _inspected(self, arena: Arena, plan: Plan, calls: int) -> dict[str, Any]:
        session, entry = _opened(self._submission), self.exercise.entries[0].name
        reserve = plan.output_bytes * calls  # as in the race: where results lie in memory changes what they cost
        shared = arena, plan.oracle, self.device
        racer = GpuRacer(session, self.exercise, entry, *shared, reserve=reserve, source=self._submission.text)
        try:
            for _ in range(2):  # what is allocated first, and first touched, is not profiled
                racer.batch(calls)
            return racer.profile(calls)
        finally:
            racer.close()

    def close(self) -> None:
        """End both workers."""
        self._submission.close()
        self._baseline.close()

    def _measure(self, plan: Plan, count: int, submission: Session, baseline: Session) -> Measurement:
        rivals = Rivals(plan, count, self.device) if self.shares_memory else HostRivals(plan)
        try:
            rivals.enter(self.exercise, self._submission.text, submission, baseline)
            result, drift = self._race(rivals, plan.is_compared)
            ways = self._ways(rivals, result.fixed_ms) if self.compare and isinstance(rivals, Rivals) else ()
        finally:
            rivals.leave()
        return Measurement(
            time_ms=result.submission,
            baseline_ms=result.baseline,
            calls=rivals.submission.count,
            num_bytes=plan.cost.num_bytes,
            num_flops=plan.cost.num_flops,
            working_set_bytes=plan.bytes_per_call * rivals.submission.count,
            dtype=lending.name_of(plan.oracle.dtype),
            ceilings=self.ceilings,
            drift=drift,
            l2_bytes=torch.cuda.get_device_properties(0).L2_cache_size,
            events_ms=result.events_ms,
            memory=CUDA_IPC if self.shares_memory else HOST_COPIES,
            health=health.read(self.uuid),
            ways=ways,
        )

    def _ways(self, rivals: Rivals, fixed_ms: float) -> tuple[Way, ...]:
        """The other ways on the same inputs, in the baseline's worker; the staff's kernel in one of its own."""
        plain, entry = as_baseline(self.exercise), self.exercise.entries[0].name
        tries = [(name, self._baseline, plain, function) for name, function in self.exercise.ways]
        host = Host(self.exercise, self.solution, "cuda", self._workers)
        if self.solution:
            tries.append(("reference kernel", host, self.exercise, entry))
        found = []
        submission = _opened(self._submission)
        try:
            for name, owner, exercise, function in tries:
                with contextlib.suppress(Exception):  # whatever it is, it is not the submission's doing
                    rivals.rest()
                    submission.freeze()
                    found.append(Way(name, rivals.time_of(_opened(owner), exercise, function, fixed_ms)))
        finally:
            submission.thaw()
            host.close()
        return tuple(found)

    def _race(self, rivals: Rivals | HostRivals, is_compared: bool) -> tuple[Result, float]:
        """Race until the batch was long enough and the device ours alone; the result, and the ceiling's drift."""
        for _ in range(ATTEMPTS):
            result = self._fair(rivals, is_compared)
            while rivals.lengthen(result):
                result = self._fair(rivals, is_compared)
            drift = self._drift()
            if abs(drift) <= MAX_DRIFT:
                break
        return result, drift

    def _fair(self, rivals: Rivals | HostRivals, is_compared: bool) -> Result:
        seed = random.SystemRandom().getrandbits(32)
        try:
            return race(rivals.submission, rivals.baseline, BUDGET_S, seed, is_compared=is_compared)
        except NotMeasured as error:
            raise _Busy(str(error), rivals.only_submission_was_busy()) from None

    def _drift(self) -> float:
        """How far the ceiling has moved; a hot device gets a moment before it is called busy."""
        for _ in range(SETTLE_TRIES):
            drift = self._copies.gbps(ceilings.REPEATS) / self.ceilings.copy_gbps - 1
            if abs(drift) <= MAX_DRIFT / 2:
                break
            time.sleep(SETTLE_S)
        return drift


def _opened(host: Host) -> Session:
    session = host.open("cuda", [], None)
    assert isinstance(session, Session)
    return session


def _is_out_of_memory(error: Raised | torch.OutOfMemoryError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or error.type_name == OUT_OF_MEMORY


def _with_hint(error: Raised) -> Failure:
    """A submission that runs out of memory with one call."""
    finding = error.finding
    hint = "Not even one call in a batch fits into the GPU's memory: what is kept after a call, and what is temporary?"
    return Failure(Finding(finding.status, finding.summary, finding.details, hint, finding.lines))


class _Busy(Exception):
    """A race that could not be run, and whether only the submission's turns were disturbed."""

    def __init__(self, text: str, is_the_submissions: bool) -> None:
        super().__init__(text)
        self.is_the_submissions = is_the_submissions
