"""Matrix product with int4 weights: inputs, the value to compare with, and what an ideal kernel moves."""

import functools
import math

import torch

from shared.cost import Cost
from shared.tolerance import Tolerance

GROUP_SIZE = 128
ROWS = 4096  # of the weights that are unpacked at a time: all of a large matrix in float64 would not fit


def make_inputs(
    make, M: int, N: int, K: int, dtype: str = "float16"
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Normal activations, packed weights of every value, and scales of either sign around 1/64."""
    wanted = getattr(torch, dtype)
    x = make.randn(M, K, dtype=wanted)
    # Eight bytes at a time: each of their bits is random.
    packed = make.integers(N, K // 16, low=-(2**63), high=2**63 - 1, dtype=torch.int64).view(torch.int8)
    return x, packed, make.randn(K // GROUP_SIZE, N, dtype=wanted, scale=1 / 64)


def unpacked(packed: torch.Tensor) -> torch.Tensor:
    """The weights as int8, (N, K): of each group the low nibbles, then the high ones."""
    by_group = packed.reshape(packed.shape[0], -1, GROUP_SIZE // 2)
    low, high = (by_group << 4) >> 4, by_group >> 4
    return torch.cat([low, high], dim=2).reshape(packed.shape[0], -1)


def product(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Unpack, scale and multiply in `dtype`."""
    y = []
    for part, its_scales in zip(packed.split(ROWS), scales.split(ROWS, dim=1), strict=True):
        weights = unpacked(part).to(dtype) * its_scales.T.to(dtype).repeat_interleave(GROUP_SIZE, dim=1)
        y.append(x.to(dtype) @ weights.T)
    return torch.cat(y, dim=1)


def reference(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The product in float64."""
    return product(x, packed, scales, torch.float64)


def variant(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """In float32, with sums over each group first, as a kernel takes them: must pass."""
    (M, K), N = x.shape, packed.shape[0]
    num_groups = K // GROUP_SIZE
    weights = unpacked(packed).to(torch.float32).reshape(N, num_groups, GROUP_SIZE)
    sums = torch.einsum("mgk,ngk->gmn", x.to(torch.float32).reshape(M, num_groups, GROUP_SIZE), weights)
    return (sums * scales.to(torch.float32)[:, None, :]).sum(dim=0).to(x.dtype)


def tolerance(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> Tolerance:
    """One step of the dtype for the rounding at the end, and float32's sum before it.

    A float32 sum of K products is off by about eps * sqrt(K) times the sum of their sizes, which is at most |x| |w| for
    the row x and the column w. No weight is larger than 8 scales, so the columns' lengths follow from the scales: the
    weights need not be read again. Weights that were rounded to 16 bits lie outside of this.
    """
    limits, eps = torch.finfo(x.dtype), torch.finfo(torch.float32).eps
    rows = x.to(torch.float32).norm(dim=1)[:, None]
    columns = 8 * math.sqrt(GROUP_SIZE) * scales.to(torch.float32).norm(dim=0)
    sums = eps * math.sqrt(x.shape[1]) * rows * columns
    return Tolerance(rtol=limits.eps, atol=sums + limits.smallest_normal * limits.eps)


def baseline(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """Unpacked first, in float32; no library routine takes these weights."""
    return product(x, packed, scales, torch.float32).to(x.dtype)


def compiled(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The same, as far as torch fuses it."""
    return _compiled()(x, packed, scales)


@functools.cache
def _compiled():
    return torch.compile(baseline)


def cost(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> Cost:
    """Weights, scales and x are read once, y is written once; two operations for each weight and row."""
    (M, K), N = x.shape, packed.shape[0]
    elements = x.numel() + scales.numel() + M * N
    return Cost(num_bytes=packed.numel() + elements * x.element_size(), num_flops=2 * M * N * K)
