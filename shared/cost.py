"""What an ideal implementation must move and compute, for one call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """The least traffic to global memory and the arithmetic of one call."""

    num_bytes: int
    num_flops: int
