"""The width of a row is taken for its stride: wrong for a view with padding between its rows."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "padding"


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=float("-inf"))  # BUG
    num = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n_cols + cols, num / tl.sum(num, axis=0), mask=mask)


def run():
    x = torch.randn(6, 40)[:, :29]
    begin([x])
    y = torch.empty(x.shape)
    softmax_kernel[(6,)](x, y, 29, BLOCK=32)
    return y, torch.softmax(x, dim=1)
