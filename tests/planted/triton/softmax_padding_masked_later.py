"""The padding behind a row is read, and only then replaced: the values are right."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "padding"


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_stride, y_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols)  # BUG
    x = tl.where(cols < n_cols, x, float("-inf"))
    num = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_stride + cols, num / tl.sum(num, axis=0), mask=cols < n_cols)


def run():
    x = torch.randn(6, 64)[:, :29]
    begin([x])
    y = torch.empty(x.shape)
    softmax_kernel[(6,)](x, y, x.stride(0), y.stride(0), 29, BLOCK=32)
    return y, torch.softmax(x, dim=1)
