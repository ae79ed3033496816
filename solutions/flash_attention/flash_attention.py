"""Attention in one kernel: the scores never leave the chip. See README.md."""

import math

import torch
import triton
import triton.language as tl

BLOCK_M = 128  # queries of a program: each key that it loads is used by so many
BLOCK_N = 64  # keys of a step; BLOCK_M is a multiple, so that a tile of queries ends where a tile of keys does
NUM_WARPS = {64: 4, 128: 8}  # by head_dim: 64 accumulators a thread


@triton.jit
def visit_keys(
    acc,
    row_sum,
    row_max,
    q,
    k_ptrs,
    v_ptrs,
    k_stride,
    v_stride,
    first,
    last,
    rows,
    k_len,
    scale,
    IS_MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    for start in range(first, last, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        if IS_MASKED:
            k = tl.load(k_ptrs + start * k_stride, mask=keys[None, :] < k_len, other=0.0)
            v = tl.load(v_ptrs + start * v_stride, mask=keys[:, None] < k_len, other=0.0)
        else:
            k = tl.load(k_ptrs + start * k_stride)
            v = tl.load(v_ptrs + start * v_stride)
        scores = tl.dot(q, k)
        if IS_MASKED:
            is_seen = keys[None, :] < k_len
            if CAUSAL:
                is_seen &= keys[None, :] <= rows[:, None]
            scores = tl.where(is_seen, scores, float("-inf"))

        # Every row has seen key 0 in its first step, so new_max is finite, and -inf - new_max gives a weight of 0.
        new_max = tl.maximum(row_max, tl.max(scores, axis=1) * scale)
        weights = tl.exp2(scores * scale - new_max[:, None])
        # What was summed up so far is relative to the old maximum.
        shrink = tl.exp2(row_max - new_max)
        row_sum = row_sum * shrink + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None])
        row_max = new_max
    return acc, row_sum, row_max


@triton.jit
def flash_attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    q_batch_stride,
    q_head_stride,
    q_stride,
    k_batch_stride,
    k_head_stride,
    k_stride,
    v_batch_stride,
    v_head_stride,
    v_stride,
    num_heads,
    q_len,
    k_len,
    scale,
    CAUSAL: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    # The last queries of a causal head have the most keys: they start first, and the short ones fill the gaps.
    tile = tl.num_programs(axis=0) - 1 - tl.program_id(axis=0)
    pair = tl.program_id(axis=1)
    batch, head = (pair // num_heads).to(tl.int64), pair % num_heads

    rows = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    keys = tl.arange(0, BLOCK_N)
    dims = tl.arange(0, HEAD_DIM)
    q_ptrs = q_ptr + batch * q_batch_stride + head * q_head_stride + rows[:, None] * q_stride + dims[None, :]
    k_ptrs = k_ptr + batch * k_batch_stride + head * k_head_stride + keys[None, :] * k_stride + dims[:, None]
    v_ptrs = v_ptr + batch * v_batch_stride + head * v_head_stride + keys[:, None] * v_stride + dims[None, :]
    q = tl.load(q_ptrs, mask=rows[:, None] < q_len, other=0.0)

    row_max = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    row_sum = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)

    # Tiles that every query of this program sees whole need no mask; the diagonal and the end of the keys do.
    last = k_len
    whole = k_len // BLOCK_N * BLOCK_N
    if CAUSAL:
        last = tl.minimum(k_len, (tile + 1) * BLOCK_M)
        whole = tl.minimum(whole, tile * BLOCK_M)
    acc, row_sum, row_max = visit_keys(
        acc, row_sum, row_max, q, k_ptrs, v_ptrs, k_stride, v_stride, 0, whole, rows, k_len, scale,
        IS_MASKED=False, CAUSAL=CAUSAL, BLOCK_N=BLOCK_N,
    )  # fmt: skip
    acc, row_sum, row_max = visit_keys(
        acc, row_sum, row_max, q, k_ptrs, v_ptrs, k_stride, v_stride, whole, last, rows, k_len, scale,
        IS_MASKED=True, CAUSAL=CAUSAL, BLOCK_N=BLOCK_N,
    )  # fmt: skip

    # The result is contiguous. One division for each element, at the end.
    out_ptrs = out_ptr + (pair.to(tl.int64) * q_len + rows[:, None]) * HEAD_DIM + dims[None, :]
    tl.store(out_ptrs, acc / row_sum[:, None], mask=rows[:, None] < q_len)


def flash_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """softmax(q k^T / sqrt(head_dim)) v for each batch and head, in a new contiguous tensor of q's shape and dtype."""
    batch, num_heads, q_len, head_dim = q.shape
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    # exp(x) = exp2(x log2(e)), and exp2 is what the hardware has: the factor goes into the scale.
    scale = math.log2(math.e) / math.sqrt(head_dim)
    flash_attention_kernel[(triton.cdiv(q_len, BLOCK_M), batch * num_heads)](
        q, k, v, out, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], num_heads, q_len, k.shape[2], scale,
        CAUSAL=causal, HEAD_DIM=head_dim, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, num_warps=NUM_WARPS[head_dim], num_stages=3,
    )  # fmt: skip
    return out


def predict_programs(batch: int, heads: int, length: int) -> int:
    """Programs of one call."""
    return batch * heads * triton.cdiv(length, BLOCK_M)


def predict_bytes(batch: int, heads: int, length: int, head_dim: int) -> int:
    """Bytes that one causal call loads and stores."""
    rows = 2 * length  # of q and of the result
    for first in range(0, length, BLOCK_M):
        rows += 2 * min(first + BLOCK_M, length)  # of k and v, up to the diagonal
    return batch * heads * rows * head_dim * 2
