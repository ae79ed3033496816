"""Masked lanes hold 0: they add exp(-max) to the sum."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "incorrect"


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)  # BUG
    num = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + cols, num / tl.sum(num, axis=0), mask=mask)


def run():
    x = torch.randn(4, 20)
    begin([x])
    y = torch.empty_like(x)
    softmax_kernel[(4,)](x, y, x.stride(0), 20, BLOCK=32)
    return y, torch.softmax(x, dim=1)
