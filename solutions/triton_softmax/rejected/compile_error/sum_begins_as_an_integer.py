import torch
import triton
import triton.language as tl


@triton.jit
def triton_softmax_kernel(x_ptr, y_ptr, x_row_stride, x_col_stride, y_row_stride, num_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0)
    maximum = float("-inf")
    for start in range(0, num_cols, BLOCK_SIZE):
        col = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + col * x_col_stride, mask=col < num_cols, other=float("-inf"))
        maximum = tl.maximum(maximum, tl.max(x.to(tl.float32), axis=0))
    total = 0
    for start in range(0, num_cols, BLOCK_SIZE):
        col = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + col * x_col_stride, mask=col < num_cols, other=float("-inf"))
        total += tl.sum(tl.exp(x.to(tl.float32) - maximum), axis=0)
    for start in range(0, num_cols, BLOCK_SIZE):
        col = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + row * x_row_stride + col * x_col_stride, mask=col < num_cols, other=float("-inf"))
        y = tl.exp(x.to(tl.float32) - maximum) / total
        tl.store(y_ptr + row * y_row_stride + col, y, mask=col < num_cols)


def triton_softmax(x):
    num_rows, num_cols = x.shape
    y = torch.empty((num_rows, num_cols), dtype=x.dtype, device=x.device)
    triton_softmax_kernel[(num_rows,)](
        x, y, x.stride(0), x.stride(1), y.stride(0), num_cols, BLOCK_SIZE=min(512, triton.next_power_of_2(num_cols))
    )
    return y
