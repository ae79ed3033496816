"""One worker on the track, on a simulated device: what a turn is, what is void, and who is blamed for what.

The worker is played by an object in this process, and shared memory by a dictionary of buffers.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from grader.errors import GraderError
from grader.exercise import load
from grader.records import Failure
from grader.status import Status
from shared.tolerance import Tolerance

with pytest.MonkeyPatch.context() as patch:
    if importlib.util.find_spec("cuda") is None:  # nothing of it is called here
        patch.setitem(sys.modules, "cuda", ModuleType("cuda"))
        patch.setitem(sys.modules, "cuda.bindings", SimpleNamespace(driver=None, runtime=None))  # type: ignore[arg-type]
    from grader.timing import oracle, racer
    from grader.timing.arena import Arena
    from grader.timing.oracle import Oracle
    from grader.timing.racer import GpuRacer
    from shared import cuda_ipc

DOUBLE = load(Path(__file__).parent / "content/exercises/double")
DOUBLE_CUDA = load(Path(__file__).parent / "content/exercises/double_cuda")
K = 5
LAYOUT = {"dtype": "float32", "shape": [4], "strides": [1]}


class Ipc:
    """Memory that is shared: in this process all of it is."""

    def __init__(self) -> None:
        self.buffers: dict[int, torch.Tensor] = {}
        self.handles: dict[str, int] = {}
        self.detached: list[int] = []

    def allocate(self, num_bytes: int) -> int:
        buffer = torch.full((max(1, num_bytes),), 7, dtype=torch.uint8)
        self.buffers[buffer.data_ptr()] = buffer
        return buffer.data_ptr()

    def free(self, address: int) -> None:
        del self.buffers[address]

    def export(self, address: int) -> str:
        handle = f"{address:0128x}"
        self.handles[handle] = address
        return handle

    def attach(self, handle: str) -> int:
        if handle not in self.handles:
            raise cuda_ipc.IpcError("no such handle")
        return self.handles[handle]

    def detach(self, address: int) -> None:
        self.detached.append(address)

    def extent(self, address: int) -> tuple[int, int]:
        base = max(start for start in self.buffers if start <= address)
        return base, self.buffers[base].numel()

    def tensor(self, address: int, num_bytes: int) -> torch.Tensor:
        if num_bytes == 0:
            return torch.empty(0, dtype=torch.uint8)
        base, _ = self.extent(address)
        return self.buffers[base][address - base : address - base + num_bytes]


@pytest.fixture
def ipc(monkeypatch: pytest.MonkeyPatch) -> Ipc:
    fake = Ipc()
    for name in ("allocate", "free", "export", "attach", "detach", "extent", "tensor"):
        monkeypatch.setattr(cuda_ipc, name, getattr(fake, name))
    monkeypatch.setattr(racer, "DEVICE", "cpu")
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(oracle, "count_far", count_far)
    return fake


def count_far(out: torch.Tensor, ref: torch.Tensor, tolerance: Tolerance, far: torch.Tensor) -> None:
    """The screen without Triton."""
    far += int((~((out - ref).abs() <= tolerance.atol + tolerance.rtol * ref.abs())).sum())


class Worker:
    """Plays the session of a worker: runs `function` on each call's arguments, keeps results in memory of its own."""

    def __init__(self, ipc: Ipc, function: Callable[..., Any]) -> None:
        self.ipc = ipc
        self.function = function
        self.alive = True
        self.is_frozen = False
        self.calls: list[list[Any]] = []
        self.segment = 0
        self.layout: dict[str, Any] = LAYOUT
        self.batches = 0
        self.late: Callable[[], None] = lambda: None
        self.answers: dict[str, Any] = {}  # instead of its own

    def freeze(self) -> None:
        self.is_frozen = True

    def thaw(self) -> None:
        self.is_frozen = False

    def ask(self, request: dict[str, Any], *, seconds: float) -> dict[str, Any]:
        assert not self.is_frozen, "a frozen worker answers nothing"
        answer: dict[str, Any] = self.answers.get(request["op"]) or getattr(self, f"_{request['op']}")(request)
        return answer

    def clocked(self, request: dict[str, Any], *, seconds: float) -> tuple[dict[str, Any], float]:
        assert self.is_frozen, "the clock starts before it may run"
        self.thaw()
        start = time.perf_counter()
        answer = self.ask(request, seconds=seconds)
        self.freeze()
        return answer, time.perf_counter() - start

    def _share(self, request: dict[str, Any]) -> dict[str, Any]:
        regions = [self.ipc.tensor(self.ipc.attach(handle), size) for handle, size in request["regions"]]
        self.calls = [[self._argument(value, regions) for value in call] for call in request["calls"]]
        return {"op": "shared"}

    def _argument(self, value: Any, regions: list[torch.Tensor]) -> Any:
        if not isinstance(value, dict):
            return value
        form = value["tensor"]
        dtype = getattr(torch, form["dtype"])
        return regions[form["region"]].view(dtype).as_strided(form["shape"], form["strides"], form["offset"])

    def _prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        self.count = request["count"]
        return {"op": "prepared"}

    def _batch(self, request: dict[str, Any]) -> dict[str, Any]:
        self.batches += 1
        if not self.segment:
            self.segment = self.ipc.allocate(16 * 64)
        addresses = []
        for index, call in enumerate(self.calls[: self.count]):
            result = self.function(*call)
            address = self.segment + 16 * index
            if isinstance(result, torch.Tensor):
                self.ipc.tensor(address, 16).view(torch.float32).copy_(result)
            addresses.append(address if isinstance(result, torch.Tensor) else 0)
        return {"op": "raced", "addresses": addresses, "events_ms": 0.1}

    def _name(self, request: dict[str, Any]) -> dict[str, Any]:
        outputs = [self.layout] * len(self.calls)
        return {"op": "named", "outputs": outputs, "segments": [[self.segment, self.ipc.export(self.segment)]]}


class Quiet:
    """A device where nobody else is at work, unless it is told otherwise."""

    def __init__(self) -> None:
        self.busy = 0

    def is_idle(self) -> bool:
        self.busy -= 1
        return self.busy < 0

    def await_idle(self) -> None:
        self.busy = 0


REFERENCE: Any = SimpleNamespace(
    reference=lambda x: 2 * x.double(), baseline=lambda x: 2 * x, tolerance=lambda x: Tolerance(1e-6, 0.0)
)


def draw(turn: int, index: int, places: Any = ()) -> tuple[Any, ...]:
    generator = torch.Generator().manual_seed(1000 * turn + index)
    return (torch.randn(4, generator=generator),)


def track(ipc: Ipc, function: Callable[..., Any], trusted: bool = False) -> tuple[GpuRacer, Worker, Quiet]:
    """A racer, the worker that it talks to, and the device."""
    worker, device = Worker(ipc, function), Quiet()
    arena, oracle = Arena(draw, (), K), Oracle(REFERENCE, torch.float32)
    found = GpuRacer(worker, DOUBLE, "double", arena, oracle, device, reserve=0, trusted=trusted)  # type: ignore[arg-type]
    return found, worker, device


def settled(ipc: Ipc, function: Callable[..., Any], trusted: bool = False) -> tuple[GpuRacer, Worker, Quiet]:
    """The same after the first turn, in which its memory is learnt."""
    found = track(ipc, function, trusted)
    assert "new memory" in found[0].turn().void
    return found


def turns(racer: GpuRacer, count: int) -> None:
    for _ in range(count):
        racer.turn()


def honest(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


def test_the_first_turn_only_learns_where_outputs_lie(ipc: Ipc) -> None:
    racer, worker, _ = settled(ipc, honest)
    turn = racer.turn()
    assert not turn.void
    assert (turn.calls, turn.events_ms) == (K, 0.1)
    assert worker.is_frozen, "between its batches it stands still"


def test_every_turn_has_inputs_that_nobody_has_seen(ipc: Ipc) -> None:
    seen: list[float] = []
    racer, _, _ = settled(ipc, lambda x: (seen.append(float(x[0])), 2 * x)[1])
    for _ in range(3):
        racer.turn()
    assert len(set(seen)) == len(seen) == 4 * K


@pytest.mark.parametrize("wrong", range(K))
def test_one_wrong_output_is_found_wherever_it_is(ipc: Ipc, wrong: int) -> None:
    calls = iter(range(10**6))
    racer, _, _ = settled(ipc, lambda x: 2 * x + (next(calls) % K == wrong))
    with pytest.raises(Failure) as caught:
        racer.turn()
    finding = caught.value.finding
    assert (finding.status, finding.summary) == (
        Status.INCORRECT,
        f"the output of timed call {wrong + 1} of {K} is wrong",
    )


def test_changed_inputs_gain_nothing(ipc: Ipc) -> None:
    racer, _, _ = settled(ipc, lambda x: x.zero_())
    with pytest.raises(Failure, match="is wrong"):  # some inputs are drawn again in each turn, by chance
        turns(racer, 40)


def test_an_output_that_comes_late_is_told_from_one_that_is_right(ipc: Ipc, monkeypatch: pytest.MonkeyPatch) -> None:
    pending: list[Callable[[], None]] = []
    racer, worker, _ = settled(ipc, honest)

    def batch(request: dict[str, Any]) -> dict[str, Any]:
        reply = Worker._batch(worker, request)
        memory = ipc.buffers[worker.segment]
        right = memory.clone()
        memory.zero_()
        pending.append(lambda: memory.copy_(right))  # type: ignore[arg-type, return-value]
        return reply

    def screen_then_arrive(*arguments: Any) -> None:
        count_far(*arguments)
        if pending and len(screened) == K - 1:
            pending.pop()()
        screened.append(1)

    screened: list[int] = []
    monkeypatch.setattr(worker, "_batch", batch, raising=False)
    monkeypatch.setattr(oracle, "count_far", screen_then_arrive)
    with pytest.raises(Failure, match="changed after it was returned"):
        racer.turn()


def test_memory_given_back_and_taken_again_is_learnt_anew(ipc: Ipc) -> None:
    """Its address may be the same, the handle is not: what was looked at says nothing of the outputs."""
    racer, worker, _ = settled(ipc, honest)
    racer.turn()
    stale = worker.segment
    worker.segment = 0
    worker._batch({"count": 0})
    ipc.buffers[stale].zero_()
    moved = worker.segment
    worker.answers["batch"] = {
        "op": "raced",
        "addresses": [stale + 16 * i for i in range(K)],
        "events_ms": 0.1,
    }
    worker.answers["name"] = {
        "op": "named",
        "outputs": [worker.layout] * K,
        "segments": [[moved, ipc.export(moved)]],
    }
    assert "new memory" in racer.turn().void


def test_memory_that_is_new_in_every_batch_is_the_submissions_fault(ipc: Ipc) -> None:
    def moving(x: torch.Tensor) -> torch.Tensor:
        worker.segment = ipc.allocate(16 * 64)
        return 2 * x

    racer, worker, _ = track(ipc, moving)
    with pytest.raises(Failure, match="new to it") as caught:
        turns(racer, 10)
    assert "empty_cache" in caught.value.finding.diagnosis


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"outputs": [{"other": "a list"}] * K, "segments": []}, "returned a list"),
        ({"outputs": [None] * K, "segments": []}, "returned None"),
        ({"outputs": [LAYOUT] * K, "segments": [[64, "00" * 64]]}, "cannot be"),
        ({"outputs": [], "segments": []}, f"named 0 of {K}"),
    ],
)
def test_what_a_worker_says_of_its_memory_is_a_claim(ipc: Ipc, named: dict[str, Any], words: str) -> None:
    racer, worker, _ = track(ipc, honest)
    worker.answers["name"] = {"op": "named", **named}
    with pytest.raises(Failure, match=words):
        racer.turn()


@pytest.mark.parametrize(
    "layout",
    [
        {"dtype": "float32", "shape": [10**9], "strides": [1]},
        {"dtype": "float32", "shape": [4], "strides": [10**9]},
        {"dtype": "float32", "shape": [4], "strides": [-1]},
        {"dtype": "float99", "shape": [4], "strides": [1]},
    ],
)
def test_a_layout_must_not_leave_its_memory(ipc: Ipc, layout: dict[str, Any]) -> None:
    racer, worker, _ = track(ipc, honest)
    worker.layout = layout
    with pytest.raises(Failure) as caught:
        turns(racer, 2)
    assert caught.value.finding.status is Status.CRASHED


def test_changed_inputs_beside_right_outputs_are_called_that(ipc: Ipc) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = 2 * x
        x.zero_()
        return y

    racer, _, _ = settled(ipc, function)
    with pytest.raises(Failure, match="changed its input"):
        turns(racer, 5)


def test_a_refill_that_takes_long_makes_the_turn_void(ipc: Ipc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that was armed on the GPU, and starts when inputs are written."""
    racer, worker, _ = settled(ipc, honest)
    before = worker.batches
    turns(racer, 2)
    monkeypatch.setattr(racer._arena, "_draw", lambda *call: (time.sleep(0.02), *draw(*call))[1:])
    assert "while inputs were written" in racer.turn().void
    assert worker.batches == before + 2, "the worker did not run"
    assert racer.busy_turns == 1


def test_inputs_are_overwritten_before_they_are_written_and_nobody_knows_how_often(ipc: Ipc) -> None:
    racer, _, _ = settled(ipc, honest)
    region, counts, fills = racer._arena._inputs, set(), []
    region.fill = lambda count, value: fills.append(count)  # type: ignore[method-assign]
    for _ in range(60):
        fills.clear()
        assert not racer.turn().void
        counts.add(len(fills))
    assert counts == {0, 1, 2}


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 0)], ids=["in its places", "swapped", "one for both"])
def test_tensors_are_drawn_where_they_are_wanted_or_copied_there(ipc: Ipc, order: tuple[int, int]) -> None:
    def two(turn: int, index: int, places: Any = ()) -> tuple[Any, ...]:
        drawn = places or tuple(torch.empty(4) for _ in range(2))
        for number, tensor in enumerate(drawn):
            tensor.fill_(100 * turn + 10 * index + number)
        return tuple(drawn[number] for number in order)

    arena = Arena(two, (), K)
    for turn in (1, 2, 3):
        arena.refill(K)
        for index in range(K):
            assert [float(tensor[0]) for tensor in arena.inputs(index)] == [
                100 * turn + 10 * index + number for number in order
            ]
            assert arena.is_unchanged(index)


def test_reference_py_gets_the_other_arguments_of_a_python_function(ipc: Ipc) -> None:
    function = Arena(lambda turn, index, places=(): (torch.ones(4), 2.5), (), K)
    launcher = Arena(lambda turn, index, places=(): (torch.ones(4), torch.empty(4), 4), (1,), K)
    for arena, others in ((function, [2.5]), (launcher, [])):
        arena.refill(K)
        for tensors in (arena.inputs(0), arena.pristine(0)):
            assert list(arena.given(tensors)[1:]) == others
        assert arena.message(inputs_only=True)["calls"][0][1:] == others


def test_a_racer_that_has_settled_measures_from_its_first_turn(ipc: Ipc) -> None:
    found, worker, _ = track(ipc, honest)
    found.settle()
    assert not found.turn().void
    assert worker.is_frozen


def test_a_submission_has_so_much_time_for_all_its_batches(ipc: Ipc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racer, "SUBMISSION_S", 0.05)
    found, _, _ = settled(ipc, lambda x: (time.sleep(0.005), 2 * x)[1])
    with pytest.raises(Failure, match=r"more than 0\.05 s together") as caught:
        turns(found, 20)
    assert caught.value.finding.status is Status.TIMEOUT


def test_too_few_outputs_are_no_batch(ipc: Ipc) -> None:
    racer, worker, _ = settled(ipc, honest)
    worker.answers["batch"] = {"op": "raced", "addresses": [worker.segment], "events_ms": 0.1}
    with pytest.raises(Failure, match=f"named 1 of {K}"):
        racer.turn()


def test_a_turn_on_a_busy_device_is_void(ipc: Ipc) -> None:
    racer, _, device = settled(ipc, honest)
    racer.turn()
    device.busy = 1
    assert "busy" in racer.turn().void
    assert racer.busy_turns == 1
    assert not racer.turn().void


def test_the_baseline_is_checked_once_and_never_blamed_on_the_submission(ipc: Ipc) -> None:
    racer, worker, _ = settled(ipc, honest, trusted=True)
    assert not racer.turn().void
    worker.function = lambda x: 3 * x
    assert not racer.turn().void, "trusted code: its later outputs are not looked at"
    wrong, _, _ = settled(ipc, lambda x: 3 * x, trusted=True)
    with pytest.raises(GraderError, match="baseline"):
        wrong.turn()


def test_closing_gives_memory_back_and_lets_the_worker_go(ipc: Ipc) -> None:
    racer, worker, _ = settled(ipc, honest)
    racer.turn()
    racer.close()
    assert ipc.detached == [worker.segment]
    assert not worker.is_frozen
    assert worker.calls == []


def test_a_launcher_fills_memory_of_the_grader(ipc: Ipc) -> None:
    def arguments(turn: int, index: int, places: Any = ()) -> tuple[Any, ...]:
        return (*draw(turn, index, places), torch.empty(4, device="meta"), 4)

    def launcher(x: torch.Tensor, out: torch.Tensor, n: int) -> int:
        assert bool(out.isnan().all()), "filled with NaN before each batch"
        out.copy_(2 * x if worker.batches < 3 else x)
        return 0

    worker = Worker(ipc, launcher)
    arena, oracle = Arena(arguments, (1,), K), Oracle(REFERENCE, torch.float32)
    found = GpuRacer(worker, DOUBLE_CUDA, "twice", arena, oracle, Quiet(), reserve=0)  # type: ignore[arg-type]
    assert not found.turn().void
    assert not found.turn().void
    with pytest.raises(Failure, match="is wrong"):
        found.turn()
