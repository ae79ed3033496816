"""The kernel of triton_softmax: a row of more than 2**20 columns is no block."""

import torch
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(x_ptr, y_ptr, x_row, x_col, y_row, num_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    col = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * x_row + col * x_col, mask=col < num_cols, other=float("-inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row + col, numerator / tl.sum(numerator, axis=0), mask=col < num_cols)


def online_softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    block_size = triton.next_power_of_2(x.shape[1])
    online_softmax_kernel[(x.shape[0],)](
        x, y, *x.stride(), y.stride(0), x.shape[1], BLOCK_SIZE=block_size, num_warps=16
    )
    return y


def predict_programs(num_rows, num_cols):
    return num_rows


def predict_bytes(num_rows, num_cols):
    return 2 * 4 * num_rows * num_cols
