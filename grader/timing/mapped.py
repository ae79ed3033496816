"""The worker's memory as far as its outputs lie in it, mapped here by CUDA IPC.

What a worker says of its memory is a claim: a layout that leaves its segment is `crashed`. Memory
that is given back and taken again has the same address there and another handle.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.boundary import lending
from grader.boundary.results import Odd
from grader.records import Failure, Finding
from grader.status import Status
from shared import cuda_ipc


@dataclass(frozen=True)
class Segment:
    """One allocation of the worker."""

    handle: str
    address: int  # here
    num_bytes: int
    raw: torch.Tensor


class Mapped:
    """Segments by the worker's own addresses, and how an output lies in them."""

    def __init__(self) -> None:
        """Nothing is mapped yet."""
        self._segments: dict[int, Segment] = {}
        self._bases: list[int] = []  # the same addresses in order
        self._views: dict[int, torch.Tensor] = {}  # outputs at addresses that were met
        self._layout: dict[str, Any] | None = None  # dtype, shape and strides of an output

    def knows(self, addresses: Sequence[int]) -> bool:
        """Whether each output lies in memory that is mapped; 0 stands for what is no tensor."""
        return self._layout is not None and all(self._base(address) is not None for address in addresses)

    def learn(self, named: dict[str, Any], count: int) -> bool:
        """Map what a reply to `name` names of `count` outputs; whether any was new. Raises Failure, and IpcError."""
        if len(named["outputs"]) != count:
            raise Failure(Finding(Status.CRASHED, f"named {len(named['outputs'])} of {count} outputs"))
        for output in named["outputs"]:
            if not isinstance(output, dict) or "other" in output:
                raise Odd(str(output["other"]) if isinstance(output, dict) else str(output)).failure()
        self._layout = named["outputs"][0]
        self._views.clear()
        new = [base for base, handle in named["segments"] if self._map(base, handle)]
        return bool(new)

    def output(self, address: int) -> torch.Tensor:
        """The tensor of an output. Raises Failure."""
        if address not in self._views:
            self._views[address] = self._view(address)
        return self._views[address]

    def close(self) -> None:
        """Forget all of it."""
        self._views.clear()
        for segment in self._segments.values():
            cuda_ipc.detach(segment.address)
        self._segments.clear()
        self._bases.clear()

    def _base(self, address: int) -> int | None:
        """Where the worker's segment begins that holds an address."""
        position = bisect_right(self._bases, address) - 1
        if position < 0:
            return None
        base = self._bases[position]
        return base if address < base + self._segments[base].num_bytes else None

    def _map(self, base: int, handle: str) -> bool:
        """Map a segment, unless it is mapped already; whether it was new."""
        known = self._segments.get(base)
        if known is not None and known.handle == handle:
            return False
        address = cuda_ipc.attach(handle)
        num_bytes = cuda_ipc.extent(address)[1]
        for other, segment in list(self._segments.items()):
            if other < base + num_bytes and base < other + segment.num_bytes:  # given back, and taken again as this one
                cuda_ipc.detach(self._segments.pop(other).address)
        self._segments[base] = Segment(handle, address, num_bytes, cuda_ipc.tensor(address, num_bytes))
        self._bases = sorted(self._segments)
        return True

    def _view(self, address: int) -> torch.Tensor:
        """Memory as an output lies in it; the layout must not leave its segment."""
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
