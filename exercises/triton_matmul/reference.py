"""Matrix product in half precision: inputs, the value to compare with, and what an ideal kernel moves."""

import functools
import math

import torch

from shared.cost import Cost
from shared.tolerance import Tolerance


def make_inputs(
    make, M: int, N: int, K: int, dtype: str = "bfloat16", b_transposed: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Two matrices of normal values; B may be the transpose of a matrix that lies row by row in memory."""
    a = make.randn(M, K, dtype=getattr(torch, dtype))
    b = make.randn(N, K, dtype=a.dtype).T if b_transposed else make.randn(K, N, dtype=a.dtype)
    return a, b


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product in float64."""
    return a.to(torch.float64) @ b.to(torch.float64)


def variant(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The same in float32 with the sum in another order, the even columns before the odd ones, rounded once."""
    wide_a, wide_b = a.to(torch.float32), b.to(torch.float32)
    return (wide_a[:, ::2] @ wide_b[::2] + wide_a[:, 1::2] @ wide_b[1::2]).to(a.dtype)


def tolerance(a: torch.Tensor, b: torch.Tensor) -> Tolerance:
    """One rounding of the result, and sqrt(K) roundings of a float32 sum, for each element by itself.

    Products of two half-precision numbers are exact in float32, and every partial sum is at most |a_row| · |b_col|, the
    product of the lengths of the row and the column (Cauchy and Schwarz), up to the products' signs. Rounding errors
    of either sign grow like sqrt(K). The last term is half the step between numbers too small for all their digits.
    """
    limits, eps = torch.finfo(a.dtype), torch.finfo(torch.float32).eps
    rows = torch.linalg.vector_norm(a, dim=1, keepdim=True, dtype=torch.float32)
    cols = torch.linalg.vector_norm(b, dim=0, keepdim=True, dtype=torch.float32)
    atol = eps * math.sqrt(a.shape[1]) * rows * cols + limits.smallest_normal * limits.eps / 2
    return Tolerance(rtol=limits.eps / 2, atol=atol)


def baseline(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """What speed is compared with: cuBLAS."""
    return a @ b


def compiled(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """torch's own Triton kernels beside cuBLAS; the quickest is kept."""
    return _compiled()(a, b)


@functools.cache
def _compiled():
    return torch.compile(baseline, mode="max-autotune-no-cudagraphs")


def cost(a: torch.Tensor, b: torch.Tensor) -> Cost:
    """Each matrix crosses the memory once; a multiplication and an addition for each of M·N·K products."""
    (M, K), N = a.shape, b.shape[1]
    return Cost(num_bytes=(M * K + K * N + M * N) * a.element_size(), num_flops=2 * M * N * K)
