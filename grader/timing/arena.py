"""The arguments of K calls in memory that workers are given handles to: one allocation for all inputs, one for outputs.

What a turn's inputs are follows from a secret key, the number of the turn and the call's position. So they can be drawn
again when an output is checked: a submission that changes its inputs is held against the values that the grader wrote.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import Any, Protocol

import torch

from grader.boundary import lending
from shared import cuda_ipc

Arguments = tuple[Any, ...]
Tensors = tuple[torch.Tensor, ...]


class Draw(Protocol):
    """Draws the arguments of a call, the same ones each time."""

    def __call__(self, turn: int, index: int, places: Tensors = ()) -> Arguments:
        """A tensor may be written where it is wanted, in one of the places; each is offered once, in order."""


LEARNING = 2
SLOW_REFILL, REFILL_SLACK_S = 1.5, 0.005
"""A refill that takes so many times as long as usual, and some more: the GPU worked for somebody else."""
MAX_DECOYS = 2
"""How often inputs are overwritten with others, at most, before the real ones are written.

A stream can be made to wait until a word in memory changes, and so to begin while its process is frozen. What begins
with a decoy reads the wrong values, and slows the writing of the real ones.
"""
_ALIGNMENT = 512  # of each tensor, as cudaMalloc gives it


class Arena:
    """Room for `count` calls; `refill` writes the inputs of the next turn."""

    def __init__(self, draw: Draw, outputs: tuple[int, ...], count: int) -> None:
        """`outputs` are the positions of the arguments that a launcher fills; nothing is written yet."""
        self.count = count
        self.turn = 0
        self._usual_s = 0.0
        self._chance = random.SystemRandom()
        self._is_in_place: bool | None = None  # whether `draw` can write where its tensors are wanted
        self._draw = draw
        self._outputs = outputs
        self._first = tuple(v.to("meta") if isinstance(v, torch.Tensor) else v for v in draw(0, 0))
        self._regions: list[_Region] = []
        self._views: dict[int, Tensors] = {}
        try:
            self._inputs = self._region(lambda position: position not in outputs)
            self._written = self._region(lambda position: position in outputs)
        except BaseException:
            self.free()
            raise

    def refill(self, count: int) -> bool:
        """New inputs for the first `count` calls, NaN in every output; whether the GPU did nothing else meanwhile.

        How long it takes is learnt by the first two, before anybody shares the memory.
        """
        for _ in range(self._chance.randint(0, MAX_DECOYS)):
            self._inputs.fill(count, self._chance.gauss(0.0, 1.0))
        torch.cuda.synchronize()
        start = time.perf_counter()
        self._write(count)
        torch.cuda.synchronize()
        each_s = (time.perf_counter() - start) / count
        if self.turn <= LEARNING:
            self._usual_s = each_s
        return each_s * count <= SLOW_REFILL * self._usual_s * count + REFILL_SLACK_S

    def _write(self, count: int) -> None:
        self.turn += 1
        for index in range(count):
            places = self.inputs(index)
            values = self._drawn(index, places)
            for place, value in zip(places, values, strict=True):
                if value.data_ptr() != place.data_ptr():
                    place.copy_(value)
        if self._outputs:
            self._written.fill_nan(count)

    def _drawn(self, index: int, places: Tensors) -> Tensors:
        """The tensors of a call, all of them in their places or none."""
        values = read_by(self._draw(self.turn, index, places if self._is_in_place is not False else ()), self._outputs)
        if self._is_in_place is None:
            pairs = zip(places, values, strict=True)
            self._is_in_place = all(value.data_ptr() == place.data_ptr() for place, value in pairs)
            return values if self._is_in_place else self._drawn(index, places)
        return values

    def pristine(self, index: int) -> Tensors:
        """The tensors that a call of this turn was given to read, drawn again."""
        return read_by(self._draw(self.turn, index), self._outputs)

    def inputs(self, index: int) -> Tensors:
        """The same tensors as they are now in the memory that was shared."""
        if index not in self._views:
            self._views[index] = tuple(self._inputs.place(position, index) for position in self._inputs.positions)
        return self._views[index]

    def is_unchanged(self, index: int) -> bool:
        """Whether a call's inputs are still as they were written."""
        return all(torch.equal(a, b) for a, b in zip(self.inputs(index), self.pristine(index), strict=True))

    def given(self, tensors: Tensors) -> Arguments:
        """A call's tensors as reference.py gets them: beside the other arguments of a Python function."""
        if self._outputs:
            return tensors
        rest = iter(tensors)
        return tuple(next(rest) if isinstance(v, torch.Tensor) else v for v in self._first)

    def output(self, index: int) -> torch.Tensor:
        """The tensor that a launcher fills."""
        return self._written.place(self._outputs[0], index)

    def message(self, *, inputs_only: bool) -> dict[str, Any]:
        """The request that gives a worker all arguments, or those of reference.py."""
        regions = [self._inputs] if inputs_only else self._regions
        handles = [[cuda_ipc.export(region.address), region.num_bytes] for region in regions]
        calls = [self._described(index, regions, inputs_only) for index in range(self.count)]
        return {"op": "share", "regions": handles, "calls": calls}

    def free(self) -> None:
        """Give the memory back."""
        self._views.clear()
        for region in self._regions:
            cuda_ipc.free(region.address)
        self._regions = []

    def _region(self, chosen: Callable[[int], bool]) -> _Region:
        tensors = {p: v for p, v in enumerate(self._first) if isinstance(v, torch.Tensor) and chosen(p)}
        region = _Region(tensors, self.count)
        if tensors:
            self._regions.append(region)
        return region

    def _described(self, index: int, regions: list[_Region], inputs_only: bool) -> list[Any]:
        found: list[Any] = []
        for position, value in enumerate(self._first):
            if isinstance(value, torch.Tensor):
                number = int(position in self._outputs)
                if number < len(regions):
                    found.append(description(value, number, regions[number].offset(position, index)))
            elif not inputs_only or not self._outputs:
                found.append(value)
        return found


class _Region:
    """One allocation: the tensors at some positions, for each call."""

    def __init__(self, tensors: dict[int, torch.Tensor], count: int) -> None:
        self._kinds = tensors
        self.positions = tuple(tensors)
        self._offsets, self._step = {}, 0
        for position, value in tensors.items():
            self._offsets[position] = self._step
            self._step += math.ceil(value.numel() * value.element_size() / _ALIGNMENT) * _ALIGNMENT
        self.num_bytes = self._step * count
        self.address = cuda_ipc.allocate(self.num_bytes) if tensors else 0
        self._raw = cuda_ipc.tensor(self.address, self.num_bytes)

    def offset(self, position: int, index: int) -> int:
        return index * self._step + self._offsets[position]

    def place(self, position: int, index: int) -> torch.Tensor:
        kind, start = self._kinds[position], self.offset(position, index)
        size = kind.numel() * kind.element_size()
        return self._raw[start : start + size].view(kind.dtype).reshape(kind.shape)

    def fill(self, count: int, value: float) -> None:
        """One value in every tensor of the first calls."""
        for index in range(count):
            for position in self.positions:
                self.place(position, index).fill_(value)

    def fill_nan(self, count: int) -> None:
        """NaN in every float type: all bits set."""
        self._raw[: count * self._step].fill_(255)


def read_by(arguments: Arguments, outputs: tuple[int, ...]) -> Tensors:
    """The tensors that a call is given to read: all but those at the positions of a launcher's outputs."""
    return tuple(v for p, v in enumerate(arguments) if isinstance(v, torch.Tensor) and p not in outputs)


def description(value: torch.Tensor, region: int, offset_bytes: int) -> dict[str, Any]:
    """What a worker is told of a tensor: which region, and the contiguous view on it."""
    strides = torch.empty(value.shape, device="meta").stride()
    return {
        "tensor": {
            "region": region,
            "dtype": lending.name_of(value.dtype),
            "shape": list(value.shape),
            "strides": list(strides),
            "offset": offset_bytes // value.element_size(),
        }
    }
