"""Three kernels: scores and weights are written to memory and read again.

Loses: scores stay on the chip
"""

import math

import torch
import triton
import triton.language as tl

BLOCK_M = 64


@triton.jit
def scores_kernel(
    q_ptr, k_ptr, s_ptr, q_batch, q_head, q_row, k_batch, k_head, k_row, num_heads, q_len, k_len, scale,
    CAUSAL: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK: tl.constexpr,
):
    pair = tl.program_id(axis=2)
    batch, head = pair // num_heads, pair % num_heads
    rows = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.program_id(axis=1) * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, HEAD_DIM)
    q_ptrs = q_ptr + batch * q_batch + head * q_head + rows[:, None] * q_row + dims[None, :]
    k_ptrs = k_ptr + batch * k_batch + head * k_head + keys[None, :] * k_row + dims[:, None]
    q = tl.load(q_ptrs, mask=rows[:, None] < q_len, other=0.0)
    k = tl.load(k_ptrs, mask=keys[None, :] < k_len, other=0.0)
    scores = tl.dot(q, k) * scale
    if CAUSAL:
        scores = tl.where(keys[None, :] <= rows[:, None], scores, float("-inf"))
    s_ptrs = s_ptr + (pair.to(tl.int64) * q_len + rows[:, None]) * k_len + keys[None, :]
    tl.store(s_ptrs, scores, mask=(rows[:, None] < q_len) & (keys[None, :] < k_len))


@triton.jit
def weights_kernel(s_ptr, w_ptr, k_len, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    keys = tl.arange(0, BLOCK)
    scores = tl.load(s_ptr + row * k_len + keys, mask=keys < k_len, other=float("-inf"))
    weights = tl.exp2(scores - tl.max(scores, axis=0))
    tl.store(w_ptr + row * k_len + keys, weights / tl.sum(weights, axis=0), mask=keys < k_len)


@triton.jit
def sum_kernel(
    w_ptr, v_ptr, out_ptr, v_batch, v_head, v_row, num_heads, q_len, k_len, HEAD_DIM: tl.constexpr, BLOCK: tl.constexpr
):
    pair = tl.program_id(axis=1)
    batch, head = pair // num_heads, pair % num_heads
    rows = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, HEAD_DIM)
    acc = tl.zeros((BLOCK, HEAD_DIM), tl.float32)
    for start in range(0, k_len, BLOCK):
        keys = start + tl.arange(0, BLOCK)
        w_ptrs = w_ptr + (pair.to(tl.int64) * q_len + rows[:, None]) * k_len + keys[None, :]
        weights = tl.load(w_ptrs, mask=(rows[:, None] < q_len) & (keys[None, :] < k_len), other=0.0)
        v_ptrs = v_ptr + batch * v_batch + head * v_head + keys[:, None] * v_row + dims[None, :]
        acc += tl.dot(weights, tl.load(v_ptrs, mask=keys[:, None] < k_len, other=0.0))
    out_ptrs = out_ptr + (pair.to(tl.int64) * q_len + rows[:, None]) * HEAD_DIM + dims[None, :]
    tl.store(out_ptrs, acc, mask=rows[:, None] < q_len)


def flash_attention(q, k, v, causal):
    batch, num_heads, q_len, head_dim = q.shape
    pairs, k_len = batch * num_heads, k.shape[2]
    scores = torch.empty((pairs, q_len, k_len), dtype=torch.float32, device=q.device)
    weights = torch.empty((pairs, q_len, k_len), dtype=q.dtype, device=q.device)
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    scale = math.log2(math.e) / math.sqrt(head_dim)
    tiles = triton.cdiv(q_len, 64), triton.cdiv(k_len, 64)
    scores_kernel[(*tiles, pairs)](
        q, k, scores, *q.stride()[:3], *k.stride()[:3], num_heads, q_len, k_len, scale,
        CAUSAL=causal, HEAD_DIM=head_dim, BLOCK=64,
    )
    weights_kernel[(pairs * q_len,)](scores, weights, k_len, BLOCK=triton.next_power_of_2(k_len))
    sum_kernel[(tiles[0], pairs)](
        weights, v, out, *v.stride()[:3], num_heads, q_len, k_len, HEAD_DIM=head_dim, BLOCK=64
    )
    return out


def predict_programs(batch, heads, length):
    tiles = triton.cdiv(length, 64)
    return batch * heads * (tiles * tiles + length + tiles)


def predict_bytes(batch, heads, length, head_dim):
    tiles = triton.cdiv(length, 64)
    scores = length * length * (4 + 4 + 2 + 2)
    return batch * heads * (scores + (2 * tiles + 1 + tiles + 0) * length * head_dim * 2)
