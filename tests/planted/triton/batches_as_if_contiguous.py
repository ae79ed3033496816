"""The distance of two batches is computed from the shape of a view."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "padding"


@triton.jit
def copy_kernel(x_ptr, y_ptr, M, N, x_row, BLOCK: tl.constexpr):
    batch, row, cols = tl.program_id(0), tl.program_id(1), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + batch * M * N + row * x_row + cols, mask=cols < N)  # BUG
    tl.store(y_ptr + (batch * M + row) * N + cols, x, mask=cols < N)


def run():
    x = torch.randn(3, 6, 20)[:, :4, :13]
    begin([x])
    y = torch.empty(x.shape)
    copy_kernel[(3, 4)](x, y, 4, 13, x.stride(1), BLOCK=16)
    return y, x
