"""Row softmax in one Triton kernel: each row is read once and written once. See README.md."""

import torch
import triton
import triton.language as tl


@triton.jit
def triton_softmax_kernel(
    x_ptr,
    y_ptr,
    x_row_stride,
    x_col_stride,
    y_row_stride,
    num_cols,
    BLOCK_SIZE: tl.constexpr,
):
    # 64 bits, because row * stride passes 2**31 in a matrix of more than 8 GB.
    row = tl.program_id(axis=0).to(tl.int64)
    col = tl.arange(0, BLOCK_SIZE)
    mask = col < num_cols

    # A masked lane holds -inf: it cannot be the maximum, and exp(-inf) = 0 adds nothing to the sum.
    x_ptrs = x_ptr + row * x_row_stride + col * x_col_stride
    x = tl.load(x_ptrs, mask=mask, other=float("-inf")).to(tl.float32)

    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)

    # The store rounds to the result's dtype, once.
    tl.store(y_ptr + row * y_row_stride + col, y, mask=mask)


def triton_softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension of a 2-D tensor, in a new tensor of the same shape and dtype."""
    num_rows, num_cols = x.shape
    y = torch.empty((num_rows, num_cols), dtype=x.dtype, device=x.device)
    block_size = triton.next_power_of_2(num_cols)
    # About 8 elements a thread: enough loads in flight, few enough registers.
    num_warps = min(max(block_size // 256, 1), 16)
    triton_softmax_kernel[(num_rows,)](
        x,
        y,
        x.stride(0),
        x.stride(1),
        y.stride(0),
        num_cols,
        BLOCK_SIZE=block_size,
        num_warps=num_warps,
    )
    return y
