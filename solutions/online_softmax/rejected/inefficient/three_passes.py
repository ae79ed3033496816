"""The row is read for its maximum, again for its sum, and again for the result: nothing is online.

Loses: read twice, written once
"""

import torch
import triton
import triton.language as tl

BLOCK_SIZE = 16384


@triton.jit
def online_softmax_kernel(x_ptr, y_ptr, x_row, x_col, y_row, num_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    m = tl.full((), -3.0e38, tl.float32)
    s = tl.full((), 0.0, tl.float32)
    for start in range(0, num_cols, BLOCK_SIZE):
        col = start + tl.arange(0, BLOCK_SIZE).to(tl.int64)
        x = tl.load(x_ptr + row * x_row + col * x_col, mask=col < num_cols, other=float("-inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    for start in range(0, num_cols, BLOCK_SIZE):
        col = start + tl.arange(0, BLOCK_SIZE).to(tl.int64)
        x = tl.load(x_ptr + row * x_row + col * x_col, mask=col < num_cols, other=float("-inf")).to(tl.float32)
        s += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, num_cols, BLOCK_SIZE):
        col = start + tl.arange(0, BLOCK_SIZE).to(tl.int64)
        x = tl.load(x_ptr + row * x_row + col * x_col, mask=col < num_cols, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * y_row + col, tl.exp(x - m) / s, mask=col < num_cols)


def online_softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    grid = (x.shape[0],)
    online_softmax_kernel[grid](x, y, *x.stride(), y.stride(0), x.shape[1], BLOCK_SIZE=BLOCK_SIZE, num_warps=16)
    return y


def predict_programs(num_rows, num_cols):
    return num_rows


def predict_bytes(num_rows, num_cols):
    return 4 * 4 * num_rows * num_cols
