"""The built-in attention: right, and not written by the student."""

import torch
import triton

BLOCK_M = 64


def flash_attention(q, k, v, causal):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def predict_programs(batch, heads, length):
    return batch * heads * triton.cdiv(length, BLOCK_M)


def predict_bytes(batch, heads, length, head_dim):
    rows = 2 * length + sum(2 * min(first + BLOCK_M, length) for first in range(0, length, BLOCK_M))
    return batch * heads * rows * head_dim * 2
