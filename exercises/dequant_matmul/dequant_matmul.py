"""y = x @ W for W in int4, which is unpacked on the way into the product. See README.md."""

import torch
import triton
import triton.language as tl

GROUP_SIZE = 128  # weights along K that share a scale


@triton.jit
def dequant_matmul_kernel(x_ptr, packed_ptr, scales_ptr, y_ptr, M, N, K, GROUP_SIZE: tl.constexpr):
    # TODO: one program takes a block of columns n. For each group of K: load the packed bytes once, unpack both
    # nibbles in registers, multiply (tl.dot takes no side below 16), and apply the group's scale to its sum.
    # You will need more parameters than these.
    pass


def dequant_matmul(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """x (M, K) times the int4 weights `packed` (N, K / 2) with `scales` (K / GROUP_SIZE, N), in x's dtype."""
    # TODO: allocate the result, choose the blocks, launch.
    raise NotImplementedError


def predict_programs(M: int, N: int, K: int) -> int:
    """Programs of all launches of one call, from your grid."""
    # TODO: before you measure anything.
    raise NotImplementedError


def predict_bytes(M: int, N: int, K: int) -> int:
    """Bytes that all programs of one call load and store together; x, scales and y have 2 bytes an element."""
    # TODO: before you measure anything. What is loaded once, and what once for each block of columns?
    raise NotImplementedError
