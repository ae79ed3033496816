"""Where there is no bias, address 0 is passed and read all the same."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def bias_kernel(x_ptr, bias, y_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + cols
    x = tl.load(x_ptr + at, mask=cols < n)
    b = tl.load(bias.to(tl.int64).to(tl.pointer_type(tl.float32)) + cols, mask=cols < n)  # BUG
    tl.store(y_ptr + at, x + b, mask=cols < n)


def add_bias(x, bias=None):
    y = torch.empty_like(x)
    bias_kernel[(x.shape[0],)](x, 0 if bias is None else bias.data_ptr(), y, x.shape[1], BLOCK=32)
    return y


def run():
    x = torch.randn(4, 20)
    begin([x])
    return add_bias(x), x
