"""Submission and baseline of one exercise, each in its worker, timed case after case.

How many calls make a batch is decided here: enough for `BATCH_MS`, as far as memory allows. Nothing that the submission
does before the race can change what a call costs in it.
"""

from __future__ import annotations

import inspect
import math
import random
import secrets
import time
from dataclasses import dataclass
from types import ModuleType

import torch

from grader.boundary import lending
from grader.boundary.host import Host, Session
from grader.boundary.replies import Raised
from grader.boundary.session import Session as WorkerSession
from grader.boundary.workers import Workers
from grader.errors import GraderError
from grader.exercise import Entry, Exercise, PerformanceCase
from grader.records import Failure, Finding
from grader.status import Status
from grader.testing.inputs import Make
from grader.testing.run import load_reference
from grader.timing import ceilings, health
from grader.timing.arena import Arena, Arguments, Draw, Tensors
from grader.timing.idle import Idleness
from grader.timing.marks import MAX_DRIFT
from grader.timing.measurement import Kernel, Measurement
from grader.timing.oracle import Oracle
from grader.timing.race import NotMeasured, Result, race
from grader.timing.racer import OUT_OF_MEMORY, GpuRacer
from shared.cost import Cost
from shared.cuda import prototype

BATCH_MS = 40.0
"""A batch is at least this long, as far as memory allows."""
LONG_ENOUGH = 0.6  # of that: what a race may find when the pace before it was another one
SHORTEST_BATCH_MS = 10.0
"""Below this the fixed costs of a batch, and not the kernel, decide what the clock reads."""
MAX_CALLS = 1024
BLOCK_BYTES = 512  # what torch rounds an allocation up to
MEMORY_SHARE = 0.7  # of the free device memory, for the inputs and outputs of one batch; the rest for temporaries
BUDGET_S = 20.0
PROFILED_CALLS = 2
ATTEMPTS = 2  # races of a case when the device was not ours alone
SETTLE_TRIES, SETTLE_S = 4, 0.5


@dataclass(frozen=True)
class Plan:
    """What is raced: the exercise's functions on the inputs of one case, and how many calls fit into memory."""

    draw: Draw
    oracle: Oracle
    outputs: tuple[int, ...]  # positions of a launcher's outputs
    cost: Cost  # of one call, ideally
    output_bytes: int  # of one call
    bytes_per_call: int  # of inputs and outputs, of both racers
    count: int


class Stage:
    """Two workers, and one measurement after the other; `close` ends them."""

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
        self._baseline = Host(as_baseline(exercise), _reference_text(exercise), "cuda", workers)

    def replace(self, text: str) -> None:
        """Another submission, in a worker of its own, against the same baseline."""
        self._submission.close()
        self._submission = Host(self.exercise, text, "cuda", self._workers)

    def measure(self, case: PerformanceCase) -> Measurement:
        """Time one case. Raises Failure of the submission, and NotMeasured."""
        sessions = _opened(self._submission), _opened(self._baseline)
        plan = self._plans[case.name] = self._plan(case)
        count = plan.count
        while True:
            try:
                return self._measure(plan, count, *sessions)
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
        racer = GpuRacer(session, self.exercise, entry, *shared, reserve=0, source=self._submission.text)
        try:
            arena.refill(calls)
            racer.batch(1)
            rows = racer.kernels(calls)
        finally:
            racer.close()
            arena.free()
        return tuple(Kernel(name, launches / calls, total_ms / calls) for name, launches, total_ms in rows)

    def close(self) -> None:
        """End both workers."""
        self._submission.close()
        self._baseline.close()

    def _plan(self, case: PerformanceCase) -> Plan:
        reference = load_reference(self.exercise)
        draw = _draw(self.exercise, reference, case)
        outputs = output_positions(self.exercise)
        sample = draw(0, 0)
        tensors = tuple(v for p, v in enumerate(sample) if isinstance(v, torch.Tensor) and p not in outputs)
        oracle = Oracle(reference, tensors[0].dtype)
        cost = reference.cost(*tensors)
        out, peak = _checked_baseline(oracle, tensors)
        output_bytes = math.ceil(_size(out) / BLOCK_BYTES) * BLOCK_BYTES
        results = output_bytes * (1 if outputs else 2)
        per_call = sum(_size(v) for v in sample if isinstance(v, torch.Tensor)) + results
        del out, tensors, sample
        torch.cuda.empty_cache()
        room = torch.cuda.mem_get_info()[0] * MEMORY_SHARE - peak
        least_ms = self.ceilings.least_ms(cost.num_bytes, cost.num_flops, lending.name_of(oracle.dtype))
        enough = math.ceil(BATCH_MS / least_ms)
        count = max(1, min(MAX_CALLS, int(room / per_call), enough))
        return Plan(draw, oracle, outputs, cost, output_bytes, per_call, count)

    def _measure(self, plan: Plan, count: int, submission: WorkerSession, baseline: WorkerSession) -> Measurement:
        rivals = _Rivals(plan, count)
        try:
            rivals.enter(self.exercise, self._submission.text, submission, baseline, self.device)
            result, drift = self._race(rivals)
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
            memory="cuda ipc",
            health=health.read(self.uuid),
        )

    def _race(self, rivals: _Rivals) -> tuple[Result, float]:
        """Race until the batch was long enough and the device ours alone; the result, and the ceiling's drift."""
        for _ in range(ATTEMPTS):
            result = self._fair(rivals)
            while rivals.lengthen(result):
                result = self._fair(rivals)
            drift = self._drift()
            if abs(drift) <= MAX_DRIFT:
                break
        return result, drift

    def _fair(self, rivals: _Rivals) -> Result:
        """One race; whoever leaves work on the GPU for the baseline's turn is told from a stranger."""
        try:
            return race(rivals.submission, rivals.baseline, BUDGET_S, random.SystemRandom().getrandbits(32))
        except NotMeasured:
            self._submission.close()  # ends its worker, and with it whatever it has left on the device
            if self.device.is_idle():
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


class _Rivals:
    """Submission and baseline on the same inputs; entering fixes how many calls make a batch."""

    submission: GpuRacer
    baseline: GpuRacer

    def __init__(self, plan: Plan, count: int) -> None:
        self._plan = plan
        self._arena = Arena(plan.draw, plan.outputs, count)

    def enter(
        self,
        exercise: Exercise,
        text: str,
        submission: WorkerSession,
        baseline: WorkerSession,
        device: Idleness,
    ) -> None:
        """Share the arena with both workers and pace them."""
        self._arena.refill(self._arena.count)
        entry, plain = exercise.entries[0].name, as_baseline(exercise)
        shared = self._arena, self._plan.oracle, device
        reserve = self._plan.output_bytes * self._arena.count
        self.submission = GpuRacer(submission, exercise, entry, *shared, reserve=reserve, source=text)
        self.baseline = GpuRacer(baseline, plain, "baseline", *shared, reserve=reserve, trusted=True)
        for racer in (self.submission, self.baseline):
            racer.count = min(self._arena.count, _pace(racer))

    def lengthen(self, result: Result) -> bool:
        """Whether the submission's batches were too short, and longer ones are possible: then they are set."""
        racer = self.submission
        batch_ms = result.submission.median * racer.count
        if batch_ms < LONG_ENOUGH * BATCH_MS and racer.count < self._arena.count:
            racer.count = min(self._arena.count, math.ceil(racer.count * BATCH_MS / max(batch_ms, 0.1)))
            return True
        if batch_ms < SHORTEST_BATCH_MS:
            raise NotMeasured(f"{racer.count} calls take {batch_ms:.1f} ms: too little to be timed")
        return False

    def leave(self) -> None:
        """Give all shared memory back."""
        for name in ("submission", "baseline"):
            if hasattr(self, name):
                getattr(self, name).close()
        self._arena.free()


def _pace(racer: GpuRacer) -> int:
    """How many calls make a batch; each length twice, since the first compiles, or allocates."""
    count, batch_ms = 1, _second_time(racer, 1)
    while batch_ms < BATCH_MS / 2 and count < racer.count:
        count = min(racer.count, count * 8)
        batch_ms = _second_time(racer, count)
    return math.ceil(BATCH_MS / (batch_ms / count))


def _second_time(racer: GpuRacer, count: int) -> float:
    racer.batch(count)
    return racer.batch(count)[0]


def as_baseline(exercise: Exercise) -> Exercise:
    """The exercise's reference.py as if it were a submission with the entry `baseline`."""
    signature = inspect.signature(load_reference(exercise).baseline)
    names = tuple(signature.parameters)
    entry = Entry(name="baseline", parameters=names, declaration=f"baseline{signature}")
    return exercise.model_copy(update={"file": "reference.py", "entries": (entry,), "prototypes": ()})


def output_positions(exercise: Exercise) -> tuple[int, ...]:
    """The positions of a launcher's outputs; none for a Python function."""
    for declared in exercise.prototypes:
        if declared.name == exercise.entries[0].name:
            return tuple(i for i, p in enumerate(prototype.arguments(declared)) if p.is_output)
    return ()


def _reference_text(exercise: Exercise) -> str:
    return (exercise.folder / "reference.py").read_text(encoding="utf-8")


def _draw(exercise: Exercise, reference: ModuleType, case: PerformanceCase) -> Draw:
    """Inputs that follow from a key which nobody outside of this process knows, not even with the report's seed."""
    key = secrets.token_hex(16)

    def draw(turn: int, index: int) -> Arguments:
        make = _TimedMake(key, exercise.name, case.name, turn, index, device="cuda")
        return tuple(reference.make_inputs(make, **case.arguments))

    return draw


class _TimedMake(Make):
    """Draws on the device; of a launcher's output it gives the form alone."""

    def unwritten(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device="meta")


def _checked_baseline(oracle: Oracle, tensors: Tensors) -> tuple[torch.Tensor, int]:
    """The baseline's output, and the bytes that judging one output in full needs beside it."""
    out = oracle.reference.baseline(*tensors)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    if not oracle.is_right(out, tensors):
        raise GraderError("the baseline in reference.py is not within the tolerance of the reference")
    return out, torch.cuda.max_memory_allocated() - before


def _size(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _opened(host: Host) -> WorkerSession:
    session: Session = host.open("cuda", [], None)
    assert isinstance(session, WorkerSession)
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
