"""The tensor is passed as the number of its address."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def add_kernel(address, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x_ptr = address.to(tl.pointer_type(tl.float32))
    x = tl.load(x_ptr + i)  # BUG
    tl.store(y_ptr + i, x + 1)


def run():
    x = torch.randn(64)
    begin([x])
    y = torch.empty_like(x)
    add_kernel[(1,)](x.data_ptr(), y, BLOCK=64)
    return y, x + 1
