"""Real work to measure: each function prepares its inputs and returns a function without arguments.

They are named by tests and run inside the worker, on the device it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Workload:
    """Names one of the functions below and its arguments, as an argument for a submission."""

    name: str
    arguments: dict[str, Any]


def matmul(size: int, dtype: str = "float32") -> Callable[[], torch.Tensor]:
    """A square matrix product: size x size, both factors normal."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    a = torch.randn(size, size, device=device, dtype=getattr(torch, dtype))
    b = torch.randn(size, size, device=device, dtype=getattr(torch, dtype))
    return lambda: a @ b
