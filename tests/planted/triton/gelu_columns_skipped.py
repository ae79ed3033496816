"""A view of every second column is read as if its columns were neighbours."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "padding"


@triton.jit
def gelu_kernel(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask)  # BUG
    tl.store(y_ptr + row * y_stride + cols, x / (1 + tl.exp(-1.702 * x)), mask=mask)


def run():
    x = torch.randn(4, 50)[:, ::2]
    begin([x])
    y = torch.empty(x.shape)
    gelu_kernel[(4,)](x, y, x.stride(0), y.stride(0), 25, BLOCK=32)
    return y, x * torch.sigmoid(1.702 * x)
