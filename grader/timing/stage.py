"""Submission and baseline of one exercise, each in its worker, timed case after case."""

from __future__ import annotations

import contextlib
import random
import time

import torch

from grader.boundary import lending
from grader.boundary.host import Host
from grader.boundary.replies import Raised
from grader.boundary.session import Session
from grader.boundary.workers import Workers
from grader.errors import GraderError
from grader.exercise import Exercise, PerformanceCase
from grader.records import Failure, Finding
from grader.status import Status
from grader.timing import ceilings, health
from grader.timing.arena import Arena
from grader.timing.host_copies import HostRivals
from grader.timing.idle import Idleness
from grader.timing.marks import MAX_DRIFT
from grader.timing.measurement import CUDA_IPC, HOST_COPIES, Kernel, Measurement, Way
from grader.timing.plan import Plan, as_baseline, make_plan, reference_text
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
        sessions = _opened(self._submission), _opened(self._baseline)
        plan = self._plans[case.name] = make_plan(self.exercise, case, self.ceilings)
        count = plan.count
        while True:
            try:
                return self._measure(plan, count, *sessions)
            except cuda_ipc.IpcError:
                if not self.shares_memory:
                    raise
                self.shares_memory = False
            except (Raised, torch.OutOfMemoryError) as error:
                if not _is_out_of_memory(error) or count == 1:
                    raise _explained(error) from error
                count = max(1, count // 4)

    def kernels(self, case: PerformanceCase, calls: int = PROFILED_CALLS) -> tuple[Kernel, ...]:
        """The kernels of one call, as CUPTI sees them in the worker: evidence, to be taken when all races are run."""
        plan = self._plans[case.name]
        arena = Arena(plan.draw, plan.outputs, calls)
        shared = arena, plan.oracle, self.device
        session, entry = _opened(self._submission), self.exercise.entries[0].name
        reserve = plan.output_bytes * calls  # as in the race: where results lie in memory changes what they cost
        racer = GpuRacer(session, self.exercise, entry, *shared, reserve=reserve, source=self._submission.text)
        try:
            arena.refill(calls)
            for _ in range(2):  # what is allocated first, and first touched, is not profiled
                racer.batch(calls)
            rows = racer.kernels(calls)
        finally:
            racer.close()
            arena.free()
        return tuple(Kernel(name, launches / calls, total_ms / calls) for name, launches, total_ms in rows)

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
            late_ms=result.late_ms,
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
        try:
            for name, owner, exercise, function in tries:
                with contextlib.suppress(Failure, GraderError, NotMeasured, RuntimeError):  # not the submission's doing
                    found.append(Way(name, rivals.time_of(_opened(owner), exercise, function, fixed_ms)))
        finally:
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
        """One race; whoever leaves work on the GPU for the baseline's turn is told from a stranger."""
        try:
            seed = random.SystemRandom().getrandbits(32)
            return race(rivals.submission, rivals.baseline, BUDGET_S, seed, is_compared=is_compared)
        except NotMeasured:
            self._submission.close()  # ends its worker, and with it whatever it has left on the device
            if self.device.stays_idle():
                text = "left work running on the GPU after its calls had returned"
                raise Failure(Finding(Status.SUSPECT, text, details="the GPU was idle without it")) from None
            raise

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


def _explained(error: Raised | torch.OutOfMemoryError) -> Exception:
    """The error, with what it means that even one call did not fit."""
    if not isinstance(error, Raised) or not _is_out_of_memory(error):
        return error
    finding = error.finding
    hint = "Not even one call in a batch fits into the GPU's memory: what is kept after a call, and what is temporary?"
    return Failure(Finding(finding.status, finding.summary, finding.details, hint, finding.lines))
