"""All timing of one submission, in a process of its own.

The process has a CUDA context of its own, so whatever a submission does to memory that it shares, the next one is
measured by a fresh context. It is trusted: what it says is the grader's word.
"""

from __future__ import annotations

import inspect
import time
import traceback
from collections.abc import Callable, Iterator
from statistics import median
from types import ModuleType

import torch

from grader.boundary.host import Host, Session
from grader.boundary.session import Session as WorkerSession
from grader.boundary.workers import Workers
from grader.exercise import Entry, Exercise, PerformanceCase, load
from grader.records import Failure, Finding
from grader.status import Status
from grader.testing.inputs import Make
from grader.testing.run import load_reference
from grader.timing import ceilings, health
from grader.timing.marks import MAX_DRIFT
from grader.timing.measurement import CaseResult, Job, Measurement
from grader.timing.race import NotMeasured, race
from grader.timing.racer import Buffers, GpuRacer, Oracle, inputs_of, output_positions
from shared import cuda_ipc

BATCH_MS = 50.0
"""A batch is at least this long, as far as memory allows."""
SHORTEST_BATCH_MS = 10.0
"""Below this the fixed costs of a batch, and not the kernel, decide what the clock reads."""
MAX_CALLS = 1024
MEMORY_SHARE = 0.8  # of the free device memory, for inputs and outputs of one batch
BUDGET_S = 20.0
SLOWEST_BATCH_MS = 400.0  # a slow submission gets fewer calls instead of long turns
EMPTY_BATCHES = 5
PROBE_BYTES = 256 << 20
SETTLE_TRIES, SETTLE_S = 4, 0.5
IDLE_WITHIN = 1.25  # a copy slower than this many times the ceiling's: somebody else is at work


def run(job: Job) -> Iterator[CaseResult]:
    """Time every performance case of the exercise, one result each."""
    exercise = load(job.folder)
    before = ceilings.measure()
    with Workers() as workers:
        workers.prepare(exercise, "cuda", count=2)
        submission = Host(exercise, job.text, "cuda", workers)
        baseline = Host(as_baseline(exercise), reference_text(exercise), "cuda", workers)
        try:
            for case in exercise.performance:
                yield _case(exercise, case, submission, baseline, before, job)
        finally:
            submission.close()
            baseline.close()


def as_baseline(exercise: Exercise) -> Exercise:
    """The exercise's reference.py as if it were a submission with the entry `baseline`."""
    signature = inspect.signature(load_reference(exercise).baseline)
    names = tuple(signature.parameters)
    entry = Entry(name="baseline", parameters=names, declaration=f"baseline{signature}")
    return exercise.model_copy(update={"file": "reference.py", "entries": (entry,), "prototypes": ()})


def reference_text(exercise: Exercise) -> str:
    """The text of the exercise's reference.py."""
    return (exercise.folder / "reference.py").read_text(encoding="utf-8")


def _case(
    exercise: Exercise,
    case: PerformanceCase,
    submission: Host,
    baseline: Host,
    before: ceilings.Ceilings,
    job: Job,
) -> CaseResult:
    capability = torch.cuda.get_device_capability()
    if capability[0] + capability[1] / 10 < case.compute_capability:
        text = f"needs compute capability {case.compute_capability}; this device has {capability[0]}.{capability[1]}"
        return CaseResult(name=case.name, status=Status.NOT_MEASURED, message=text)
    try:
        measured = measure(exercise, case, submission, baseline, before, job)
    except Failure as error:
        return _found(case, error.finding)
    except NotMeasured as error:
        return CaseResult(name=case.name, status=Status.NOT_MEASURED, message=str(error))
    except cuda_ipc.IpcError as error:
        return CaseResult(name=case.name, status=Status.NOT_MEASURED, message=f"memory cannot be shared here: {error}")
    except torch.OutOfMemoryError:
        return CaseResult(name=case.name, status=Status.NOT_MEASURED, message="not enough free memory on this device")
    except Exception:
        return CaseResult(
            name=case.name,
            status=Status.GRADER_ERROR,
            message="the timing itself failed; this is not your fault",
            details=traceback.format_exc()[-2000:],
        )
    return CaseResult(name=case.name, measurement=measured)


def _found(case: PerformanceCase, finding: Finding) -> CaseResult:
    return CaseResult(
        name=case.name,
        status=finding.status,
        message=finding.summary,
        details=finding.details,
        diagnosis=finding.diagnosis,
    )


def measure(
    exercise: Exercise,
    case: PerformanceCase,
    submission: Host,
    baseline: Host,
    before: ceilings.Ceilings,
    job: Job,
) -> Measurement:
    """One case: choose K, share the memory, race. Raises Failure of the submission, and NotMeasured."""
    reference = load_reference(exercise)
    make = Make(job.seed, exercise.name, case.name, "timing", device="cuda")
    sample = inputs_of(reference, case, make)()
    outputs = output_positions(exercise, exercise.entries[0].name)
    tensors = tuple(v for p, v in enumerate(sample) if isinstance(v, torch.Tensor) and p not in outputs)
    oracle = Oracle(reference, tensors[0].dtype)
    cost = reference.cost(*tensors)
    per_call = _bytes_per_call(sample, reference.baseline(*tensors))
    torch.cuda.empty_cache()
    free, _ = torch.cuda.mem_get_info()
    bound = max(1, min(MAX_CALLS, int(free * MEMORY_SHARE / per_call)))
    count = _calls(_time_of(lambda: reference.baseline(*tensors)), bound)
    rivals = _Rivals(exercise, case, reference, make, oracle, outputs, count)
    try:
        rivals.enter(submission, baseline, before)
        result = race(rivals.submission, rivals.baseline, BUDGET_S, job.seed)
    finally:
        rivals.leave()
    batch_ms = result.submission.median * rivals.submission.count
    if batch_ms < SHORTEST_BATCH_MS:
        raise NotMeasured(f"a batch of {batch_ms:.1f} ms is too short to be timed: too little free GPU memory")
    state = health.read(job.uuid)
    return Measurement(
        time_ms=result.submission,
        baseline_ms=result.baseline,
        calls=rivals.submission.count,
        num_bytes=cost.num_bytes,
        num_flops=cost.num_flops,
        working_set_bytes=per_call * rivals.submission.count,
        copy_gbps=before.copy_gbps,
        matmul_tflops=0.0,
        drift=_drift(before),
        l2_bytes=torch.cuda.get_device_properties(0).L2_cache_size,
        events_ms=result.events_ms,
        memory="cuda ipc",
        sm_clock_mhz=state.sm_clock_mhz,
        temperature_c=state.temperature_c,
        throttle=state.throttle,
    )


class _Rivals:
    """Submission and baseline on the same inputs; entering fixes K and the cost of an empty batch.

    Whoever is not in its own batch is frozen, so neither can see or touch the other's inputs in time.
    """

    submission: GpuRacer
    baseline: GpuRacer

    def __init__(
        self,
        exercise: Exercise,
        case: PerformanceCase,
        reference: ModuleType,
        make: Make,
        oracle: Oracle,
        outputs: tuple[int, ...],
        count: int,
    ) -> None:
        self._exercise, self._oracle = exercise, oracle
        self._buffers = Buffers(inputs_of(reference, case, make), outputs, count)
        # The baseline is a function of the inputs alone and returns its output.
        first = enumerate(self._buffers.calls[0])
        self._inputs_only = tuple(i for i, v in first if isinstance(v, torch.Tensor) and i not in outputs)

    def enter(self, submission: Host, baseline: Host, before: ceilings.Ceilings) -> None:
        """Load both files, share the buffers, measure an empty batch, shorten a slow submission's batch."""
        entry = self._exercise.entries[0].name
        left = _session(submission.open("cuda", [], None))
        right = _session(baseline.open("cuda", [], None))
        plain = baseline.exercise
        self.submission = GpuRacer(left, self._exercise, entry, self._buffers, self._oracle, source=submission.text)
        self.baseline = GpuRacer(right, plain, "baseline", self._buffers, self._oracle, self._inputs_only)
        for racer in (self.submission, self.baseline):
            racer.is_idle = lambda: _is_idle(before)
        self._shorten()
        self.baseline.fixed_ms = self._empty_ms(self.baseline.count)
        self.submission.fixed_ms = self._empty_ms(self.submission.count)

    def leave(self) -> None:
        """Give all shared memory back."""
        for name in ("submission", "baseline"):
            if hasattr(self, name):
                getattr(self, name).close()
        self._buffers.free()

    def _shorten(self) -> None:
        """Fewer calls for a submission that is much slower than the baseline."""
        racer = self.submission
        racer.batch(1, empty=False)  # compiles and loads
        first_s, _ = racer.batch(1, empty=False)
        few = max(1, min(8, racer.count, int(SLOWEST_BATCH_MS / 1e3 / first_s)))
        seconds = []
        for _ in range(4):  # the best of some: an idle device has to raise its clock first
            racer.prepare(racer.count)
            seconds.append(racer.batch(few, empty=False)[0])
        each_ms = max(1e-3, min(seconds) * 1e3 - self._empty_ms(few)) / few
        racer.count = max(1, min(racer.count, int(SLOWEST_BATCH_MS / each_ms)))

    def _empty_ms(self, count: int) -> float:
        """What a batch of this many calls costs without work, in the baseline's worker."""
        seconds = []
        for _ in range(EMPTY_BATCHES):
            self.baseline.prepare(count)
            seconds.append(self.baseline.batch(count, empty=True)[0])
        return median(seconds) * 1e3


def _drift(before: ceilings.Ceilings) -> float:
    """How far the ceiling has moved; a hot device gets a moment before it is called busy."""
    for _ in range(SETTLE_TRIES):
        drift = ceilings.copy_bandwidth() / before.copy_gbps - 1
        if abs(drift) <= MAX_DRIFT / 2:
            break
        time.sleep(SETTLE_S)
    return drift


def _session(session: Session) -> WorkerSession:
    assert isinstance(session, WorkerSession)
    return session


def _is_idle(before: ceilings.Ceilings) -> bool:
    return ceilings.copy_bandwidth(PROBE_BYTES) * IDLE_WITHIN >= before.copy_gbps


def _calls(each_ms: float, bound: int) -> int:
    """K: enough calls for a long batch, as far as memory allows."""
    return max(1, min(bound, int(BATCH_MS / each_ms) + 1))


def _bytes_per_call(sample: tuple[object, ...], out: torch.Tensor) -> int:
    tensors = [value for value in (*sample, out) if isinstance(value, torch.Tensor)]
    results = out.numel() * out.element_size()  # of the other racer too
    return sum(t.numel() * t.element_size() for t in tensors) + results


def _time_of(work: Callable[[], object]) -> float:
    """Milliseconds of a call in this process: good enough to choose K."""
    return ceilings.median_seconds(work, repeats=3) * 1e3
