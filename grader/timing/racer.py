"""One worker on the track: a turn is fresh inputs, one batch on the clock, every output checked.

The worker runs during its own batch only. The clock starts before it is thawed, and stops when it has answered and is
halted again. Work that is still under way on the GPU then holds up a kernel of the grader, and that is seen.
"""

from __future__ import annotations

import contextlib
import time
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from grader.boundary import lending
from grader.boundary.proxy import Odd
from grader.boundary.replies import Raised, raised
from grader.boundary.session import Session
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.records import Failure, Finding
from grader.status import Status
from grader.timing.arena import Arena
from grader.timing.oracle import Oracle, late
from grader.timing.race import Turn
from shared import cuda_ipc

BATCH_S = 60.0
"""Seconds that one batch may take before its worker is ended."""
OUT_OF_MEMORY = "OutOfMemoryError"
"""The exception of torch that a smaller batch may avoid."""
MAX_MOVES = 4
"""Turns in a row whose outputs lie in memory that is not mapped; what is kept in a cache settles after one or two."""


class Device(Protocol):
    """Whether anybody else is at work on the GPU, while every worker is frozen."""

    def is_idle(self) -> bool:
        """Look once."""

    def await_idle(self) -> None:
        """Wait for it; raise NotMeasured when it does not come."""


@dataclass(frozen=True)
class Segment:
    """Memory of the worker that holds outputs, as it is mapped here."""

    handle: str
    address: int  # here
    num_bytes: int
    raw: torch.Tensor


class GpuRacer:
    """A worker with its file loaded and the arena shared."""

    def __init__(
        self,
        session: Session,
        exercise: Exercise,
        entry: str,
        arena: Arena,
        oracle: Oracle,
        device: Device,
        *,
        reserve: int,
        trusted: bool = False,
        source: str = "",
    ) -> None:
        """`entry` is the function to call; a `trusted` one gets the inputs alone and is checked in its first turn.

        `reserve` bytes are allocated in one piece for what it returns, so that few segments hold all outputs.
        """
        self._session = session
        self._exercise = exercise
        self._source = source
        self._entry = entry
        self._arena = arena
        self._oracle = oracle
        self._trusted = trusted
        self._turns = 0
        self._moves = 0
        self._left_idle = False
        self._segments: dict[int, Segment] = {}  # by the worker's own address
        self._bases: list[int] = []  # the same addresses in order
        self._views: dict[int, torch.Tensor] = {}  # outputs at addresses that were met
        self._layout: dict[str, Any] | None = None  # dtype, shape and strides of an output
        self._tiny = torch.zeros(1, device="cuda")
        self.count = arena.count
        self.is_idle = device.is_idle
        self.await_idle = device.await_idle
        self._ask({**arena.message(inputs_only=trusted), "reserve": 0 if self._fills_outputs else reserve})
        self._session.freeze()

    def turn(self) -> Turn:
        """One turn; raises Failure when an output is wrong.

        Outputs in memory that is not mapped yet cannot be checked before the worker runs again: the turn is void, and
        the memory learnt.
        """
        is_checked = not self._trusted or not self._turns
        if is_checked:
            self._arena.refill(self.count)
        if not self._left_idle:
            self.await_idle()
        batch_ms, tail_ms, reply = self.batch(self.count)
        if is_checked and not self._fills_outputs and not self._knows(reply["addresses"]):
            self._learn()
            return self._moved()
        if is_checked:
            wrong = self._wrong(reply["addresses"])
            if wrong is not None and self._learn():
                return self._moved()  # what was looked at was another memory: nothing is said of the output
            if wrong is not None:
                raise self._blamed(Failure(wrong))
        self._left_idle = self.is_idle()
        if not self._left_idle:
            return _void("the GPU was busy with other work")
        self._turns += 1
        self._moves = 0
        return Turn(batch_ms, float(reply["events_ms"]), tail_ms, self.count)

    def _moved(self) -> Turn:
        """A turn that is void, since its outputs could not be looked at before the worker ran again."""
        self._moves += 1
        if self._moves >= MAX_MOVES:
            text = "the outputs of every batch lie in memory that is new to it, so they cannot be checked in time"
            hint = "Are results kept after the call, or is memory given back to the device (torch.cuda.empty_cache)?"
            raise Failure(Finding(Status.RUNTIME_ERROR, text, diagnosis=hint))
        return _void("the outputs lay in new memory")

    def batch(self, count: int) -> tuple[float, float, dict[str, Any]]:
        """Milliseconds on the grader's clock for `count` calls, those until the GPU serves us, the worker's reply."""
        torch.cuda.synchronize()
        start = time.perf_counter()
        self._session.thaw()
        try:
            reply = self._ask({"op": "batch", "entry": self._entry, "count": count})
            self._session.halt()
            stop = time.perf_counter()
            self._tiny.add_(1)
            torch.cuda.synchronize()
            return (stop - start) * 1e3, (time.perf_counter() - stop) * 1e3, reply
        finally:
            self._freeze()

    def kernels(self, count: int) -> list[list[Any]]:
        """[name, launches, milliseconds] of the kernels of some calls, by the worker's profiler; evidence only."""
        self._session.thaw()
        try:
            return list(self._ask({"op": "profile", "entry": self._entry, "count": count})["kernels"])
        finally:
            self._freeze()

    def close(self) -> None:
        """Forget the worker's memory, let it go on, and have it give back what it holds."""
        self._views.clear()
        for segment in self._segments.values():
            cuda_ipc.detach(segment.address)
        self._segments.clear()
        if self._session.alive:
            self._session.thaw()
            with contextlib.suppress(Failure, GraderError, cuda_ipc.IpcError):  # what is wrong has been said already
                self._ask({"op": "share", "regions": [], "calls": [], "reserve": 0})

    @property
    def _fills_outputs(self) -> bool:
        """Whether the outputs lie in the grader's memory."""
        return self._exercise.is_cuda and not self._trusted

    def _freeze(self) -> None:
        if self._session.alive:
            self._session.freeze()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        reply = self._session.ask({**request, "file": self._exercise.file}, seconds=BATCH_S)
        if reply["op"] == "raised":
            raise self._blamed(raised(reply, self._exercise.file, self._source))
        return reply

    def _blamed(self, failure: Failure) -> Exception:
        """What the baseline does wrong is no fault of the submission; both may need more memory than there is."""
        if not self._trusted or (isinstance(failure, Raised) and failure.type_name == OUT_OF_MEMORY):
            return failure
        if isinstance(failure, Raised) and failure.type_name == cuda_ipc.IpcError.__name__:
            return cuda_ipc.IpcError(failure.message)  # trusted code: this machine cannot do it
        return GraderError(f"the baseline of {self._exercise.name}: {failure}")

    def _knows(self, addresses: list[int]) -> bool:
        """Whether each output lies in memory that is mapped; 0 stands for what is no tensor."""
        return self._layout is not None and all(self._base(address) is not None for address in addresses)

    def _base(self, address: int) -> int | None:
        """Where the worker's segment begins that holds an address."""
        position = bisect_right(self._bases, address) - 1
        if position < 0:
            return None
        base = self._bases[position]
        return base if address < base + self._segments[base].num_bytes else None

    def _learn(self) -> bool:
        """Map the segments of the last batch's outputs, learn how an output lies; whether any memory was new."""
        if self._fills_outputs:
            return False
        self._session.thaw()
        try:
            named = self._ask({"op": "name"})
        finally:
            self._freeze()
        for output in named["outputs"]:
            if not isinstance(output, dict) or "other" in output:
                raise Odd(str(output["other"]) if isinstance(output, dict) else str(output)).failure()
        self._layout = named["outputs"][0]
        self._views.clear()
        new = [base for base, handle in named["segments"] if self._map(base, handle)]
        return bool(new)

    def _map(self, base: int, handle: str) -> bool:
        """Map a segment, unless it is mapped already; whether it was new."""
        known = self._segments.get(base)
        if known is not None and known.handle == handle:
            return False
        try:
            address = cuda_ipc.attach(handle)
        except cuda_ipc.IpcError as error:
            if self._trusted:
                raise
            raise Failure(Finding(Status.CRASHED, "named memory that cannot be opened", str(error))) from None
        num_bytes = cuda_ipc.extent(address)[1]
        for other, segment in list(self._segments.items()):
            if other < base + num_bytes and base < other + segment.num_bytes:  # given back, and taken again as this one
                cuda_ipc.detach(self._segments.pop(other).address)
        self._segments[base] = Segment(handle, address, num_bytes, cuda_ipc.tensor(address, num_bytes))
        self._bases = sorted(self._segments)
        return True

    def _wrong(self, addresses: list[int]) -> Finding | None:
        """Hold every output against the reference, the last one first; what is wrong with the first wrong one.

        A late output fails its screen and may be right a moment later, so the screen is run again before that counts.
        """
        if len(addresses) != self.count:
            return Finding(Status.CRASHED, f"named {len(addresses)} of {self.count} outputs")
        far = torch.zeros(self.count, dtype=torch.int32, device="cuda")
        for index in reversed(range(self.count)):
            inputs = self._arena.pristine(index) if self._oracle.draws_again() else self._arena.inputs(index)
            self._oracle.screen(self._located(index, addresses), inputs, far[index : index + 1])
        counts = far.tolist()
        failed = [index for index, count in enumerate(counts) if count]
        fine = [index for index, count in enumerate(counts) if not count]
        for index in failed + self._oracle.samples(fine):
            out, inputs = self._located(index, addresses), self._arena.pristine(index)
            call = f"timed call {index + 1} of {self.count}"
            if not self._oracle.is_right(out, inputs):
                return self._oracle.wrong(out, inputs, call)
            if counts[index] and not self._fails_screen(out, inputs):
                return late(call)
        return None

    def _fails_screen(self, out: torch.Tensor, inputs: tuple[torch.Tensor, ...]) -> bool:
        far = torch.zeros(1, dtype=torch.int32, device="cuda")
        self._oracle.screen(out, inputs, far)
        return bool(far)

    def _located(self, index: int, addresses: list[int]) -> torch.Tensor:
        """The tensor of an output, in our memory or in the worker's."""
        if self._fills_outputs:
            return self._arena.output(index)
        address = addresses[index]
        if address not in self._views:
            self._views[address] = self._view(address)
        return self._views[address]

    def _view(self, address: int) -> torch.Tensor:
        """The worker's memory at an address as an output lies in it; the layout must not leave its segment."""
        assert self._layout is not None
        dtype = lending.DTYPES.get(self._layout["dtype"])
        shape, strides = self._layout["shape"], self._layout["strides"]
        base = self._base(address)
        if dtype is None or base is None or min([*strides, *shape], default=0) < 0:
            raise Failure(Finding(Status.CRASHED, "named an output that does not exist"))
        last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if all(shape) else 0
        start, size = address - base, (last + 1) * dtype.itemsize
        if start % dtype.itemsize or start + size > self._segments[base].num_bytes:
            raise Failure(Finding(Status.CRASHED, "named an output outside of its memory"))
        return self._segments[base].raw[start : start + size].view(dtype).as_strided(shape, strides)


def _void(why: str) -> Turn:
    return Turn(0.0, 0.0, 0.0, 1, why)
