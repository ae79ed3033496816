"""Matrix product in float32: inputs, the value to compare with, and what an ideal kernel moves."""

import math

import torch

from shared.cost import Cost
from shared.tolerance import Tolerance


def make_inputs(make, M: int, N: int, K: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]:
    """The launcher's arguments: two matrices of normal values, and an output to be filled."""
    return make.randn(M, K), make.randn(K, N), make.unwritten(M, N), M, N, K


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product in float64."""
    return a.to(torch.float64) @ b.to(torch.float64)


def variant(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The same in float32 with the sum in another order, the even columns before the odd ones: must pass."""
    return a[:, ::2] @ b[::2] + a[:, 1::2] @ b[1::2]


def tolerance(a: torch.Tensor, b: torch.Tensor) -> Tolerance:
    """sqrt(K) roundings of the sum of the products' sizes, for each element by itself.

    A sum of K products makes up to 2 K roundings of half an eps, each of a partial sum that is at most the sum of
    the sizes. Their errors have either sign and grow like sqrt(K): even where every product is positive, this is more
    than four standard deviations, and up to K = 4 it is the worst case itself. There is no relative part: where
    products cancel, a correct sum has no relative accuracy.
    """
    eps = torch.finfo(torch.float32).eps
    sizes = reference(a.abs(), b.abs())
    return Tolerance(rtol=0.0, atol=eps * math.sqrt(a.shape[1]) * sizes)


def baseline(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """What speed is compared with: cuBLAS in float32 (torch uses TF32 only when told to)."""
    return a @ b


def cost(a: torch.Tensor, b: torch.Tensor) -> Cost:
    """Each matrix crosses the memory once; a multiplication and an addition for each of M·N·K products."""
    (M, K), N = a.shape, b.shape[1]
    return Cost(num_bytes=(M * K + K * N + M * N) * a.element_size(), num_flops=2 * M * N * K)
