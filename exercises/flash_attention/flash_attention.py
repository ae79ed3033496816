"""Attention in one kernel: the scores never leave the chip. See README.md."""

import torch
import triton
import triton.language as tl


@triton.jit
def flash_attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, q_len, k_len, scale,
    CAUSAL: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    # TODO: one program takes BLOCK_M queries of one head. It keeps three things for each of them: the largest score so
    # far, the sum of weights, and the weighted sum of v. It goes over the keys in steps of BLOCK_N and brings all three
    # up to date. You will need more parameters than these.
    pass


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """softmax(q k^T / sqrt(head_dim)) v for each batch and head, in a new contiguous tensor of q's shape and dtype."""
    # TODO: allocate the result, choose the blocks, launch.
    raise NotImplementedError


def predict_programs(batch: int, heads: int, length: int) -> int:
    """Programs of one call, from your grid."""
    # TODO: before you measure anything.
    raise NotImplementedError


def predict_bytes(batch: int, heads: int, length: int, head_dim: int) -> int:
    """Bytes that one causal call loads and stores, in float16: how many keys does each program visit?"""
    # TODO: before you measure anything.
    raise NotImplementedError
