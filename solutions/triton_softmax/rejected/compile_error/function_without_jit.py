import torch
import triton
import triton.language as tl


def normalised(x):
    numerator = tl.exp(x - tl.max(x, axis=0))
    return numerator / tl.sum(numerator, axis=0)


@triton.jit
def triton_softmax_kernel(x_ptr, y_ptr, x_row_stride, x_col_stride, y_row_stride, num_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0)
    col = tl.arange(0, BLOCK_SIZE)
    mask = col < num_cols
    x = tl.load(x_ptr + row * x_row_stride + col * x_col_stride, mask=mask, other=float("-inf")).to(tl.float32)
    tl.store(y_ptr + row * y_row_stride + col, normalised(x), mask=mask)


def triton_softmax(x):
    num_rows, num_cols = x.shape
    y = torch.empty((num_rows, num_cols), dtype=x.dtype, device=x.device)
    triton_softmax_kernel[(num_rows,)](
        x, y, x.stride(0), x.stride(1), y.stride(0), num_cols, BLOCK_SIZE=triton.next_power_of_2(num_cols)
    )
    return y
