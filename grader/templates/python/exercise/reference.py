"""Twice the input: the value to compare with, and how near a result must be."""

import torch

from shared.tolerance import EXACT, Tolerance


def reference(x: torch.Tensor) -> torch.Tensor:
    """2 x in float64."""
    return 2 * x.to(torch.float64)


def variant(x: torch.Tensor) -> torch.Tensor:
    """An independent correct way: must pass."""
    return x + x


def tolerance(x: torch.Tensor) -> Tolerance:
    """Doubling is exact in every floating-point type."""
    return EXACT
