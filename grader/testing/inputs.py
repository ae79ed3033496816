"""`make`: seeded inputs. The same seed, exercise and test give the same values on every machine and device.

Inputs are made on the CPU in float32 or float64 and then rounded, so a dtype does not change the draw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import torch


class Make:
    """Draws inputs for one setting of a test."""

    def __init__(self, *key: object, device: str = "cpu") -> None:
        """`key` (seed, exercise, test) determines every value on a device; tests use the CPU, timing the GPU."""
        digest = hashlib.sha256(repr(key).encode()).digest()
        self._device = device
        self._generator = torch.Generator(device).manual_seed(int.from_bytes(digest[:7], "big"))

    def randn(self, *shape: int, dtype: torch.dtype = torch.float32, scale: float = 1.0) -> torch.Tensor:
        """Normal values with standard deviation `scale`."""
        values = torch.empty(shape, dtype=torch.float32, device=self._device)
        return values.normal_(0.0, scale, generator=self._generator).to(dtype)

    def uniform(self, *shape: int, low: float, high: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Values in [low, high)."""
        values = torch.rand(shape, generator=self._generator, dtype=torch.float32, device=self._device)
        return (low + (high - low) * values).to(dtype)

    def integers(self, *shape: int, low: int, high: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Whole numbers in [low, high), exactly representable when they are small."""
        return torch.randint(low, high, shape, generator=self._generator, device=self._device).to(dtype)

    def unwritten(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """An output to be filled by a launcher: NaN everywhere, so that a gap shows."""
        return torch.full(shape, float("nan"), dtype=dtype, device=self._device)

    def padded(self, values: torch.Tensor, padding: int) -> torch.Tensor:
        """The same 2-D values as a view whose rows lie `padding` elements further apart, NaN in between."""
        rows, cols = values.shape
        wide = torch.full((rows, cols + padding), float("nan"), dtype=values.dtype, device=values.device)
        wide[:, :cols] = values
        return wide[:, :cols]

    def shifted(self, values: torch.Tensor, elements: int) -> torch.Tensor:
        """The same 1-D values as a view that starts `elements` into its storage: not aligned to 16 bytes."""
        wide = torch.full((values.numel() + elements,), float("nan"), dtype=values.dtype, device=values.device)
        wide[elements:] = values
        return wide[elements:]

    def permutation(self, size: int) -> Sequence[int]:
        """0 … size-1 in random order."""
        return [int(i) for i in torch.randperm(size, generator=self._generator, device=self._device)]


def given(arguments: Sequence[Any], outputs: Sequence[int]) -> tuple[Any, ...]:
    """Of a call's arguments those that the functions of reference.py get: the tensors that a launcher reads.

    A Python function fills no `outputs`, and they get all that it got.
    """
    if not outputs:
        return tuple(arguments)
    return tuple(v for p, v in enumerate(arguments) if isinstance(v, torch.Tensor) and p not in outputs)
