"""The grid is rounded down: the last elements have no program."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "incorrect"


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


def add(x, y):
    z = torch.empty_like(x)
    n = x.numel()
    add_kernel[(n // 128,)](x, y, z, n, BLOCK=128)  # BUG
    return z


def run():
    x, y = torch.randn(300), torch.randn(300)
    begin([x, y])
    return add(x, y), x + y
