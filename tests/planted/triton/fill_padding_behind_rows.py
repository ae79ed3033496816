"""Whole blocks are stored in place: the padding behind each row is overwritten."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "padding"


@triton.jit
def clamp_kernel(x_ptr, stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0)
    tl.store(x_ptr + row * stride + cols, tl.maximum(x, 0.0))  # BUG


def run():
    x = torch.randn(8, 40)[:, :20]
    begin([x])
    expected = x.relu()
    clamp_kernel[(8,)](x, x.stride(0), 20, BLOCK=32)
    return x, expected
