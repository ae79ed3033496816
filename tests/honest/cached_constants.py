"""Keeps constants between calls, as one does with masks, tables and compiled kernels."""
import functools

import torch

_FACTORS = {}


@functools.lru_cache(maxsize=None)
def factor(dtype):
    return torch.tensor(2, dtype=dtype)


def double(x):
    two = _FACTORS.setdefault((x.dtype, x.shape), torch.full(x.shape, 2, dtype=x.dtype))
    return two * x + 0 * factor(x.dtype)
