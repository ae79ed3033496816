"""The formula in torch: the scores are written to memory and read again."""

import math

import torch
import triton

BLOCK_M = 64


def flash_attention(q, k, v, causal):
    q, k, v, dtype = q.float(), k.float(), v.float(), q.dtype
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        scores += torch.full(scores.shape[-2:], float("-inf"), device=q.device).triu(1)
    return (torch.softmax(scores, dim=-1) @ v).to(dtype)


def predict_programs(batch, heads, length):
    return batch * heads * triton.cdiv(length, BLOCK_M)


def predict_bytes(batch, heads, length, head_dim):
    rows = 2 * length + sum(2 * min(first + BLOCK_M, length) for first in range(0, length, BLOCK_M))
    return batch * heads * rows * head_dim * 2
