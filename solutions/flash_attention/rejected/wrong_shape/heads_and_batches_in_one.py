"""Batches and heads are one dimension in the result."""

import math

import torch
import triton
import triton.language as tl

BLOCK_M, BLOCK_N = 64, 64


@triton.jit
def kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row,
    num_heads, q_len, k_len, scale,
    CAUSAL: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    pair = tl.program_id(axis=1)
    batch, head = pair // num_heads, pair % num_heads
    rows = tl.program_id(axis=0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    q_ptrs = q_ptr + batch * q_batch + head * q_head + rows[:, None] * q_row + dims[None, :]
    q = tl.load(q_ptrs, mask=rows[:, None] < q_len, other=0.0)
    row_max = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    row_sum = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)
    last = k_len
    if CAUSAL:
        last = tl.minimum(k_len, (tl.program_id(axis=0) + 1) * BLOCK_M)
    for start in range(0, last, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        k_ptrs = k_ptr + batch * k_batch + head * k_head + keys[None, :] * k_row + dims[:, None]
        v_ptrs = v_ptr + batch * v_batch + head * v_head + keys[:, None] * v_row + dims[None, :]
        k = tl.load(k_ptrs, mask=keys[None, :] < k_len, other=0.0)
        v = tl.load(v_ptrs, mask=keys[:, None] < k_len, other=0.0)
        scores = tl.dot(q, k) * scale
        is_seen = keys[None, :] < k_len
        if CAUSAL:
            is_seen &= keys[None, :] <= rows[:, None]
        scores = tl.where(is_seen, scores, float("-inf"))
        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_max[:, None])
        shrink = tl.exp2(row_max - new_max)
        row_sum = row_sum * shrink + tl.sum(weights, axis=1)
        acc = acc * shrink[:, None] + tl.dot(weights.to(v.dtype), v)
        row_max = new_max
    out_ptrs = out_ptr + (pair * q_len + rows[:, None]) * HEAD_DIM + dims[None, :]
    tl.store(out_ptrs, acc / row_sum[:, None], mask=rows[:, None] < q_len)


def flash_attention(q, k, v, causal):
    batch, num_heads, q_len, head_dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    scale = math.log2(math.e) / math.sqrt(head_dim)
    kernel[(triton.cdiv(q_len, BLOCK_M), batch * num_heads)](
        q, k, v, out, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], num_heads, q_len, k.shape[2], scale,
        CAUSAL=causal, HEAD_DIM=head_dim, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N,
    )
    return out.flatten(0, 1)


def predict_programs(batch, heads, length):
    return batch * heads * triton.cdiv(length, BLOCK_M)


def predict_bytes(batch, heads, length, head_dim):
    rows = 2 * length + sum(2 * min(first + BLOCK_M, length) for first in range(0, length, BLOCK_M))
    return batch * heads * rows * head_dim * 2
