"""How far a result may lie from the reference: derived from the arithmetic asked for, never widened to fit.

An element passes if |out - ref| <= atol + rtol * |ref|. `check` holds every tolerance to two laws: the next lower
precision fails, and an independent correct variant passes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Tolerance:
    """`atol` is a number, or a tensor that broadcasts to the result (for example one value per row)."""

    rtol: float
    atol: float | torch.Tensor


EXACT = Tolerance(0.0, 0.0)
"""For inputs whose result is exact in the arithmetic asked for, such as sums of small integers."""

LOWER = {
    torch.float64: torch.float32,
    torch.float32: "tf32",
    torch.float16: torch.bfloat16,
    torch.bfloat16: torch.float8_e4m3fn,
}
"""The next lower precision that a GPU offers for each dtype."""


def in_lower_precision(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """`values` (float64) rounded to the precision below `dtype`; unchanged for integers."""
    lower = LOWER.get(dtype)
    if lower is None:
        return values
    if lower == "tf32":
        return _to_tf32(values)
    assert isinstance(lower, torch.dtype)
    return values.to(lower).to(torch.float64)


def _to_tf32(values: torch.Tensor) -> torch.Tensor:
    """Round float32 to 10 bits of mantissa, to nearest."""
    bits = values.to(torch.float32).contiguous().view(torch.int32)
    rounded = (bits + 0x1000) & ~0x1FFF
    return rounded.view(torch.float32).to(torch.float64)
