"""The address is added to the pointer, which has it already: terabytes away."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def add_kernel(x_ptr, address, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + address + i)  # BUG
    tl.store(y_ptr + i, x + 1)


def run():
    x = torch.randn(64)
    begin([x])
    y = torch.empty_like(x)
    add_kernel[(1,)](x, x.data_ptr(), y, BLOCK=64)
    return y, x + 1
