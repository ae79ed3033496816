"""The store of a row has no mask: every row runs into the next, and the last past the end."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=float("-inf"))
    num = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n_cols + cols, num / tl.sum(num, axis=0))  # BUG


def run():
    x = torch.randn(5, 23)
    begin([x])
    y = torch.empty_like(x)
    softmax_kernel[(5,)](x, y, x.stride(0), 23, BLOCK=32)
    return y, torch.softmax(x, dim=1)
