"""More parameters than asked for, all with defaults, and annotations of its own."""
from __future__ import annotations

import typing


def double(x: "Undefined", /, factor: int = 2, *, out: typing.Optional["torch.Tensor"] = None, **options) -> "Tensor":
    return factor * x
