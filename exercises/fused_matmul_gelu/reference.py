"""GeLU of a matrix product: inputs, the value to compare with, and what an ideal kernel moves."""

import functools
import math

import torch

from shared.cost import Cost
from shared.tolerance import Tolerance


def make_inputs(make, M: int, N: int, K: int, dtype: str = "bfloat16") -> tuple[torch.Tensor, torch.Tensor]:
    """Two matrices of normal values, scaled so that the elements of their product are about 2, whatever K is."""
    half = getattr(torch, dtype)
    return make.randn(M, K, dtype=half, scale=2 / math.sqrt(K)), make.randn(K, N, dtype=half)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """The tanh form."""
    return torch.nn.functional.gelu(x, approximate="tanh")


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """GeLU of the product, both in float64."""
    return gelu(a.to(torch.float64) @ b.to(torch.float64))


def variant(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The same in float32, the sum in another order, the formula as it stands in a book, rounded once: must pass."""
    wide_a, wide_b = a.to(torch.float32), b.to(torch.float32)
    x = wide_a[:, ::2] @ wide_b[::2] + wide_a[:, 1::2] @ wide_b[1::2]
    return (0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))).to(a.dtype)


def tolerance(a: torch.Tensor, b: torch.Tensor) -> Tolerance:
    """One rounding of the result, and the errors of float32 before it, for each element by itself.

    The sum makes sqrt(K) roundings of at most |a_row| · |b_col|, as in `triton_matmul`; GeLU is nowhere steeper than
    1.13. The formula adds a few roundings of x, which is not larger either: where tanh is close to -1, the digits of
    1 + tanh are lost. The last term is half the step between numbers too small for all their digits.
    """
    limits, eps = torch.finfo(a.dtype), torch.finfo(torch.float32).eps
    rows = torch.linalg.vector_norm(a, dim=1, keepdim=True, dtype=torch.float32)
    cols = torch.linalg.vector_norm(b, dim=0, keepdim=True, dtype=torch.float32)
    atol = eps * (1.13 * math.sqrt(a.shape[1]) + 2) * rows * cols + limits.smallest_normal * limits.eps / 2
    return Tolerance(rtol=limits.eps / 2, atol=atol)


def baseline(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """What speed is compared with: cuBLAS, and torch's GeLU in a kernel of its own."""
    return gelu(a @ b)


def compiled(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The same, fused by torch where that is quicker."""
    return _compiled()(a, b)


@functools.cache
def _compiled():
    return torch.compile(baseline, mode="max-autotune-no-cudagraphs")


def cost(a: torch.Tensor, b: torch.Tensor) -> Cost:
    """Each matrix crosses the memory once; two operations for each product, about ten for each GeLU."""
    (M, K), N = a.shape, b.shape[1]
    return Cost(num_bytes=(M * K + K * N + M * N) * a.element_size(), num_flops=2 * M * N * K + 10 * M * N)
