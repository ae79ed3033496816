"""A batch of calls on memory that the grader shares: what the clock of the grader times from outside.

    share    {regions, calls, reserve} ->  shared     attach the grader's memory; the arguments of each call
    hold     {regions, calls}          ->  held       the same by copies of host memory, where CUDA cannot share
    prepare  {count}                   ->  prepared   forget what the batch before returned, lay the calls ready
    batch    {}                        ->  raced      run the calls, wait for the GPU; the address of each output
    name                               ->  named      what lies at those addresses
    collect  {outputs}                 ->  collected  copies of outputs into host memory, after `hold`
    profile  {count}                   ->  profiled   run some calls under CUPTI; the kernels and their times

The addresses are fixed before the last synchronisation and travel in the reply that stops the clock. What else there is
to say of them (segments, shapes, handles) is asked for only when the grader meets unknown memory; such a batch is not
counted. A segment whose memory was given back and taken again has the same address and another handle.
"""

from __future__ import annotations

import gc
import itertools
import mmap
import time
from collections.abc import Callable
from typing import Any

import torch

from grader.worker import instruments
from grader.worker.python_file import regions, type_name, view
from shared import cuda_ipc

MAX_KERNELS, MAX_NAME = 20, 200
"""Of what is told of a profile: kinds of kernels, and characters of a name."""
WARM_UP_S = 0.1
"""Seconds of calls before the ones that a profile is taken of."""


class Track:
    """The shared buffers and the calls on them."""

    def __init__(self, message: dict[str, Any], memory: mmap.mmap | None = None) -> None:
        """Attach every region, or copy it from `memory`, and prepare the arguments of every call."""
        self._addresses: list[int] = []
        if message.get("reserve"):
            torch.empty(message["reserve"], dtype=torch.uint8, device="cuda")  # one segment that outputs are cut from
        if memory is None:
            self._addresses = [cuda_ipc.attach(handle) for handle, _ in message["regions"]]
            sizes = [size for _, size in message["regions"]]
            self._buffers = [cuda_ipc.tensor(a, size) for a, size in zip(self._addresses, sizes, strict=True)]
        else:
            self._buffers = [region.to("cuda") for region in regions(message["regions"], memory)]
        self._calls = [[self._argument(value) for value in call] for call in message["calls"]]
        self._results: list[Any] = []
        self._ready: list[list[Any]] = []
        self._events = tuple(torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        for event in self._events:
            event.record()  # an event is made when it is used first

    def prepare(self, count: int) -> dict[str, Any]:
        """Lay `count` calls ready, over and over when there are fewer; what takes time beside the calls is done here.

        The memory of the batch before can be used again from now on.
        """
        self._results = []
        self._ready = list(itertools.islice(itertools.cycle(self._calls), count))
        return {"op": "prepared"}

    def run(self, function: Callable[..., Any]) -> dict[str, Any]:
        """The calls that lie ready; the address of each output, 0 for what is no tensor."""
        start, end = self._events
        gc.disable()  # a collection takes longer than the device's queue lasts
        try:
            start.record()
            results = [function(*arguments) for arguments in self._ready]
            end.record()
        finally:
            gc.enable()
        self._results = results
        addresses = [r.data_ptr() if type(r) is torch.Tensor else 0 for r in results]
        torch.cuda.synchronize()
        return {"op": "raced", "addresses": addresses, "events_ms": start.elapsed_time(end)}

    def name(self) -> dict[str, Any]:
        """What the last batch returned, in the order of the calls."""
        handles: dict[int, str] = {}
        outputs = [self._named(result, handles) for result in self._results]
        return {"op": "named", "outputs": outputs, "segments": [list(pair) for pair in handles.items()]}

    def collect(self, wanted: list[list[int]], memory: mmap.mmap) -> dict[str, Any]:
        """Copy outputs, or the arguments at these positions, to the offsets that the grader chose."""
        raw, outputs = torch.frombuffer(memory, dtype=torch.uint8), []
        for index, position, offset, size in wanted:
            output = self._results[index] if position < 0 else self._calls[index][position]
            described = self._described(output)
            if "other" not in described and output.numel() * output.element_size() == size:
                raw[offset : offset + size].copy_(output.detach().contiguous().reshape(-1).view(torch.uint8))
            outputs.append(described)
        return {"op": "collected", "outputs": outputs}

    def profile(self, function: Callable[..., Any], count: int, file: str) -> dict[str, Any]:
        """The kernels of `count` calls, the longest first, none where CUPTI does not answer; what one call calls."""
        found: dict[str, list[Any]] = {}
        for event in self._recorded(function, count):
            row = found.setdefault(event.name[:MAX_NAME], [event.name[:MAX_NAME], 0, 0.0])
            row[1] += 1
            row[2] += event.device_time / 1e3
        kernels = sorted(found.values(), key=lambda row: -row[2])
        reply = {"op": "profiled", "kernels": kernels[:MAX_KERNELS]}
        if not file.endswith(".py"):
            return reply
        with instruments.watching(file, run_kernels=True) as counts:
            self._results = [function(*self._calls[0])]
            return {**reply, **counts()}

    def _recorded(self, function: Callable[..., Any], count: int) -> list[Any]:
        """What CUPTI records on the device during the last `count` of twice as many calls, or of many more.

        A profiler takes so long to start that the device has lowered its clocks: the first calls pay for that.
        """
        rounds, end = 0, time.monotonic() + WARM_UP_S
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
            while rounds < 2 or time.monotonic() < end:
                self._results = []  # so that the next lie in the same memory
                self._results = [function(*arguments) for arguments in self._calls[:count]]
                torch.cuda.synchronize()
                rounds += 1
        events = sorted((e for e in seen.events() or [] if e.device_time > 0), key=lambda e: e.time_range.start)
        return events[len(events) // rounds * (rounds - 1) :]

    def close(self) -> None:
        """Forget the grader's buffers, and give back what results have used."""
        self._results, self._calls, self._buffers = [], [], []
        for address in self._addresses:
            cuda_ipc.detach(address)
        self._addresses = []
        torch.cuda.empty_cache()

    def _argument(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        content = value["tensor"]
        return view(self._buffers[content["region"]], content)

    def _named(self, result: Any, handles: dict[int, str]) -> Any:
        """Where a result lies, or what it is instead of a tensor on this device."""
        if result is None or type(result) is int:
            return result
        described = self._described(result)
        base = cuda_ipc.extent(result.data_ptr())[0] if "other" not in described and result.numel() else 0
        if base in self._addresses:
            return {"other": "its input, or a view of it"}
        if base and base not in handles:
            handles[base] = cuda_ipc.export(base)
        return described

    def _described(self, result: Any) -> dict[str, Any]:
        """How a tensor on this device lies in memory, or what it is instead."""
        if type(result) is not torch.Tensor or not result.is_cuda or result.layout is not torch.strided:
            return {"other": type_name(result)}
        dtype = str(result.dtype).removeprefix("torch.")
        return {"dtype": dtype, "shape": list(result.shape), "strides": list(result.stride())}


def launcher(call: Callable[[list[Any]], int]) -> Callable[..., int]:
    """A C launcher as a function of tensors and numbers."""

    def function(*arguments: Any) -> int:
        return call([a.data_ptr() if isinstance(a, torch.Tensor) else a for a in arguments])

    return function
