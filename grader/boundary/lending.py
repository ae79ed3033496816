"""Tensors on their way to a worker and back.

Every storage behind the arguments is copied into memory that is lent to the worker, padding and all, so a view
keeps its strides. Afterwards the bytes are compared with the grader's own: a changed input is noticed wherever it
was changed.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.boundary.memory import Segment

_ALIGNMENT = 256  # of each storage in the lent memory, as CUDA's allocators do

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
        torch.complex64,
        torch.float8_e4m3fn,
        torch.float8_e5m2,
    )
}
"""What may come back; anything else is an odd result, not a tensor the grader reads."""


def name_of(dtype: torch.dtype) -> str:
    """`float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")


class Lent:
    """The storages behind some tensors, each once, in one segment of memory."""

    def __init__(self) -> None:
        """Empty; `add` tensors, then `lend` them."""
        self._storages: dict[int, torch.Tensor] = {}
        self._offsets: list[int] = []
        self.segment: Segment | None = None

    def add(self, tensor: torch.Tensor) -> dict[str, Any]:
        """The packed form of a tensor: which region, and the view on it."""
        raw = _bytes_of(tensor)
        key = tensor.untyped_storage().data_ptr() or id(tensor)
        self._storages.setdefault(key, raw)
        return {
            "region": list(self._storages).index(key),
            "dtype": name_of(tensor.dtype),
            "item_size": tensor.element_size(),
            "shape": list(tensor.shape),
            "strides": list(tensor.stride()),
            "offset": tensor.storage_offset(),
        }

    def lend(self) -> list[list[int]]:
        """Copy everything into the segment; (offset, size) of each region."""
        regions, end = [], 0
        for raw in self._storages.values():
            regions.append([end, raw.numel()])
            end += math.ceil(raw.numel() / _ALIGNMENT) * _ALIGNMENT
        if end:
            self.segment = Segment(end)
            memory = torch.frombuffer(self.segment.view, dtype=torch.uint8)
            for (offset, size), raw in zip(regions, self._storages.values(), strict=True):
                memory[offset : offset + size].copy_(raw)
        self._offsets = [offset for offset, _ in regions]
        return regions

    def is_unchanged(self, tensor: torch.Tensor) -> bool:
        """Whether the lent copy of the tensor's whole storage still has the grader's bytes."""
        raw, lent = self._pair(tensor)
        return lent is None or torch.equal(raw, lent)

    def take_back(self, tensor: torch.Tensor) -> None:
        """Copy what the worker wrote into the grader's tensor."""
        raw, lent = self._pair(tensor)
        if lent is not None:
            raw.copy_(lent)

    def close(self) -> None:
        """Give the memory back."""
        if self.segment is not None:
            self.segment.close()

    def _pair(self, tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        key = tensor.untyped_storage().data_ptr() or id(tensor)
        raw = self._storages[key]
        if self.segment is None or not raw.numel():
            return raw, None
        memory = torch.frombuffer(self.segment.view, dtype=torch.uint8)
        offset = self._offsets[list(self._storages).index(key)]
        return raw, memory[offset : offset + raw.numel()]


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor's whole storage as flat uint8, sharing memory."""
    raw = torch.empty(0, dtype=torch.uint8)
    raw.set_(tensor.untyped_storage())
    return raw


def size_of(claim: dict[str, Any]) -> int:
    """Bytes that a claimed result needs."""
    return int(math.prod(claim["shape"])) * DTYPES[claim["dtype"]].itemsize


def read_results(segment: Segment, claims: list[tuple[int, dict[str, Any]]]) -> list[torch.Tensor]:
    """Private copies of results that the worker wrote at these offsets."""
    memory = torch.frombuffer(segment.view, dtype=torch.uint8)
    found = []
    for offset, claim in claims:
        raw = memory[offset : offset + size_of(claim)].clone()
        found.append(raw.view(DTYPES[claim["dtype"]]).reshape(claim["shape"]))
    return found
