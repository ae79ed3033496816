"""One worker on the track: buffers shared with it, and a turn: fresh inputs, one batch, every output checked."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

from grader.boundary import lending
from grader.boundary.proxy import Odd
from grader.boundary.replies import raised
from grader.boundary.session import Session
from grader.exercise import Exercise, PerformanceCase
from grader.records import Failure, Finding
from grader.status import Status
from grader.testing.expect import compare, passing
from grader.testing.inputs import Make
from grader.timing.race import Turn
from shared import cuda_ipc
from shared.cuda import prototype
from shared.tolerance import Tolerance

BATCH_S = 60.0
"""Seconds that one batch may take before its worker is ended."""

Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Oracle:
    """What a right output is: the exercise's reference, on the grader's own inputs."""

    reference: ModuleType
    dtype: torch.dtype

    def expected(self, inputs: Tensors) -> tuple[torch.Tensor, Tolerance]:
        """The value, and how near an output must be."""
        return self.reference.reference(*inputs), self.reference.tolerance(*inputs)


class Buffers:
    """The arguments of K calls in memory of their own, which a worker may be given handles to."""

    def __init__(self, make_inputs: Callable[[], tuple[Any, ...]], outputs: tuple[int, ...], count: int) -> None:
        """`outputs` are the positions that a launcher fills; `count` is K."""
        self._make_inputs = make_inputs
        self._outputs = outputs
        self._addresses: list[int] = []
        self.calls = [self._place(make_inputs()) for _ in range(count)]

    def refill(self, count: int) -> None:
        """New inputs for the first `count` calls, NaN in every output."""
        for call in self.calls[:count]:
            fresh = self._make_inputs()
            for position, (old, new) in enumerate(zip(call, fresh, strict=True)):
                if position in self._outputs:
                    old.fill_(float("nan"))
                elif isinstance(old, torch.Tensor):
                    old.copy_(new)

    def inputs(self, index: int) -> Tensors:
        """The tensors that a call reads."""
        call = self.calls[index]
        return tuple(v for p, v in enumerate(call) if isinstance(v, torch.Tensor) and p not in self._outputs)

    def output(self, index: int) -> torch.Tensor:
        """The tensor that a launcher fills."""
        value = self.calls[index][self._outputs[0]]
        assert isinstance(value, torch.Tensor)
        return value

    def message(self, positions: tuple[int, ...] | None = None) -> dict[str, Any]:
        """The request that gives a worker the arguments at these positions, and no other memory."""
        regions: list[list[Any]] = []
        calls = [
            [self._described(v, regions) for p, v in enumerate(call) if positions is None or p in positions]
            for call in self.calls
        ]
        return {"op": "share", "regions": regions, "calls": calls}

    def free(self) -> None:
        """Give the memory back."""
        self.calls = []
        for address in self._addresses:
            cuda_ipc.free(address)
        self._addresses = []

    def _described(self, value: Any, regions: list[list[Any]]) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        regions.append([cuda_ipc.export(value.data_ptr()), value.numel() * value.element_size()])
        return {
            "tensor": {
                "region": len(regions) - 1,
                "dtype": lending.name_of(value.dtype),
                "shape": list(value.shape),
                "strides": list(value.stride()),
                "offset": 0,
            }
        }

    def _place(self, made: tuple[Any, ...]) -> list[Any]:
        return [self._copy(value) if isinstance(value, torch.Tensor) else value for value in made]

    def _copy(self, value: torch.Tensor) -> torch.Tensor:
        size = value.numel() * value.element_size()
        self._addresses.append(cuda_ipc.allocate(size))
        raw = cuda_ipc.tensor(self._addresses[-1], size)
        placed = raw.view(value.dtype).reshape(value.shape)
        return placed.copy_(value)


class GpuRacer:
    """A worker with its file loaded and the buffers shared."""

    def __init__(
        self,
        session: Session,
        exercise: Exercise,
        entry: str,
        buffers: Buffers,
        oracle: Oracle,
        positions: tuple[int, ...] | None = None,
        source: str = "",
    ) -> None:
        """Share the buffers; `entry` is the function to call, with the arguments at `positions` (all without)."""
        self._session = session
        self._exercise = exercise
        self._source = source
        self._entry = entry
        self._buffers = buffers
        self._oracle = oracle
        self._segments: dict[int, tuple[int, int]] = {}  # the worker's base: (address here, size)
        self._layout: dict[str, Any] | None = None  # dtype, shape and strides of an output
        self.count = len(buffers.calls)
        self.fixed_ms = 0.0  # of a batch, whatever the work
        self.is_idle: Callable[[], bool] = lambda: True
        self._ask(buffers.message(positions))
        self._session.freeze()

    def turn(self) -> Turn:
        """Fresh inputs while every worker is frozen, one batch on the clock, every output checked, last first.

        The worker does not run between the reply that stops the clock and the check, so nothing can be computed late.
        Outputs in memory that is not known yet cannot be checked that way: the turn is void, and the memory learnt.
        """
        idle = self.prepare(self.count)
        seconds, reply = self.batch(self.count, empty=False)
        if not self._exercise.is_cuda and not self._knows(reply["addresses"]):
            self._learn()
            return Turn(0.0, 0.0, "new memory appeared")
        self._compare(reply["addresses"])
        milliseconds = (seconds * 1e3 - self.fixed_ms) / self.count
        void = "" if idle else "the GPU was busy with other work"
        return Turn(milliseconds, reply["events_ms"] / self.count, void)

    def prepare(self, count: int) -> bool:
        """Write inputs that the worker cannot see yet; whether the GPU is idle at the end."""
        self._buffers.refill(count)
        torch.cuda.synchronize()
        return self.is_idle()

    def batch(self, count: int, empty: bool) -> tuple[float, dict[str, Any]]:
        """Seconds on the grader's clock from the request to the reply; the worker runs during its own batch only."""
        request = {"op": "batch", "entry": self._entry, "count": count, "empty": empty}
        self._session.thaw()
        try:
            start = time.perf_counter()
            reply = self._ask(request)
            seconds = time.perf_counter() - start
        finally:
            if self._session.alive:
                self._session.freeze()
        return seconds, reply

    def close(self) -> None:
        """Forget the worker's memory, let it go on, and have it give back what it holds."""
        for address, _ in self._segments.values():
            cuda_ipc.detach(address)
        self._segments.clear()
        if self._session.alive:
            self._session.thaw()
            with contextlib.suppress(Failure):  # what is wrong with it has been said already
                self._ask({"op": "share", "regions": [], "calls": []})

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        reply = self._session.ask({**request, "file": self._exercise.file}, seconds=BATCH_S)
        if reply["op"] == "raised":
            raise raised(reply, self._exercise.file, self._source)
        return reply

    def _knows(self, addresses: list[int]) -> bool:
        """Whether each output lies in memory that is attached; 0 stands for what is no tensor."""
        return self._layout is not None and all(self._segment(address) is not None for address in addresses)

    def _segment(self, address: int) -> tuple[int, int] | None:
        """(the worker's base, bytes from there to the end) of an address."""
        for base, (_, size) in self._segments.items():
            if base <= address < base + size:
                return base, base + size - address
        return None

    def _learn(self) -> None:
        """Attach the segments of the last batch's outputs, and learn how an output lies in memory."""
        self._session.thaw()
        try:
            named = self._ask({"op": "name"})
        finally:
            if self._session.alive:
                self._session.freeze()
        for base, handle in named["segments"]:
            if type(base) is int and base not in self._segments:
                address = cuda_ipc.attach(handle)
                self._segments[base] = (address, cuda_ipc.extent(address)[1])
        for output in named["outputs"]:
            if not isinstance(output, dict) or "other" in output:
                raise Odd(str(output["other"]) if isinstance(output, dict) else str(output)).failure()
        self._layout = named["outputs"][0]

    def _compare(self, addresses: list[int]) -> None:
        """Every output against the reference of the grader's own inputs; raises Failure."""
        if len(addresses) != self.count:
            raise Failure(Finding(Status.CRASHED, f"named {len(addresses)} of {self.count} outputs"))
        right = torch.ones(self.count, dtype=torch.bool, device="cuda")
        for index in reversed(range(self.count)):
            out = self._located(index, addresses[index])
            ref, tolerance = self._oracle.expected(self._buffers.inputs(index))
            if out.shape != ref.shape or out.dtype != self._oracle.dtype:
                self._raise(index, out, ref, tolerance)
            right[index] = passing(out.to(torch.float64), ref, tolerance).all()
        if not bool(right.all()):
            index = int((~right).nonzero()[0])
            ref, tolerance = self._oracle.expected(self._buffers.inputs(index))
            self._raise(index, self._located(index, addresses[index]), ref, tolerance)

    def _raise(self, index: int, out: torch.Tensor, ref: torch.Tensor, tolerance: Tolerance) -> None:
        near = Tolerance(tolerance.rtol, torch.as_tensor(tolerance.atol).cpu())
        finding = compare(out.cpu(), ref.cpu(), self._oracle.dtype, near)
        text = f"the output of timed call {index + 1} of {self.count} is wrong"
        details = f"{finding.summary} {finding.details}" if finding else "it changed after it was returned"
        diagnosis = finding.diagnosis if finding else ""
        raise Failure(Finding(Status.INCORRECT, text, details=details, diagnosis=diagnosis))

    def _located(self, index: int, address: int) -> torch.Tensor:
        """The tensor of an output, in our memory or in the worker's, which its layout must not leave."""
        if self._exercise.is_cuda:
            return self._buffers.output(index)
        assert self._layout is not None
        dtype = lending.DTYPES.get(self._layout["dtype"])
        shape, strides = self._layout["shape"], self._layout["strides"]
        segment = self._segment(address)
        if dtype is None or segment is None or min([*strides, *shape], default=0) < 0:
            raise Failure(Finding(Status.CRASHED, "named an output that does not exist"))
        last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if all(shape) else 0
        base, room = segment
        size = (last + 1) * dtype.itemsize
        if size > room:
            raise Failure(Finding(Status.CRASHED, "named an output outside of its memory"))
        here = self._segments[base][0] + address - base
        return cuda_ipc.tensor(here, size).view(dtype).as_strided(shape, strides)


def output_positions(exercise: Exercise, entry: str) -> tuple[int, ...]:
    """The positions of a launcher's outputs; none for a Python function."""
    for declared in exercise.prototypes:
        if declared.name == entry:
            return tuple(i for i, p in enumerate(prototype.arguments(declared)) if p.is_output)
    return ()


def inputs_of(reference: ModuleType, case: PerformanceCase, make: Make) -> Callable[[], tuple[Any, ...]]:
    """A function that draws the arguments of one call."""
    return lambda: tuple(reference.make_inputs(make, **case.arguments))
