"""Softmax of long rows: inputs, the value to compare with, and what an ideal kernel moves."""

import functools

import torch

from shared.cost import Cost
from shared.tolerance import Tolerance


def make_inputs(make, num_rows: int, num_cols: int, dtype: str = "float32") -> tuple[torch.Tensor]:
    """One matrix of normal values, a little wider than usual so that rows have a clear maximum."""
    return (make.randn(num_rows, num_cols, dtype=getattr(torch, dtype), scale=2.0),)


def reference(x: torch.Tensor) -> torch.Tensor:
    """Softmax over rows in float64."""
    return torch.softmax(x.to(torch.float64), dim=-1)


def variant(x: torch.Tensor) -> torch.Tensor:
    """The same in float32 through the logarithm of the sum, rounded to the input's dtype: must pass."""
    wide = x.to(torch.float32)
    shifted = wide - wide.amax(dim=-1, keepdim=True)
    return torch.exp(shifted - shifted.exp().sum(dim=-1, keepdim=True).log()).to(x.dtype)


def tolerance(x: torch.Tensor) -> Tolerance:
    """A rounding or two of the dtype, with an absolute part far below the row's largest value.

    A row of N columns has a largest value of 1/N at least, and most are smaller, so a fixed absolute tolerance would
    accept zeros. The last term is the step between numbers so small that their dtype has no more digits for them.
    """
    limits, num_cols = torch.finfo(x.dtype), max(1, x.shape[-1])
    if x.dtype == torch.float32:
        return Tolerance(rtol=2e-5, atol=1e-6 / num_cols)
    return Tolerance(rtol=limits.eps, atol=limits.eps / 16 / num_cols + limits.smallest_normal * limits.eps)


def baseline(x: torch.Tensor) -> torch.Tensor:
    """What speed is shown beside."""
    return torch.softmax(x, dim=-1)


def eager(x: torch.Tensor) -> torch.Tensor:
    """The formula as it stands in a book, a kernel for each operation."""
    numerator = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return numerator / numerator.sum(dim=-1, keepdim=True)


def compiled(x: torch.Tensor) -> torch.Tensor:
    """The same formula, fused by torch."""
    return _compiled()(x)


@functools.cache
def _compiled():
    return torch.compile(eager)


def cost(x: torch.Tensor) -> Cost:
    """Each element is read twice, since no row stays on the chip, and written once; about ten operations each."""
    return Cost(num_bytes=3 * x.numel() * x.element_size(), num_flops=10 * x.numel())
