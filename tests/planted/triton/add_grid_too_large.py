"""One program too many, in a kernel without masks that counts on whole blocks."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)  # BUG
    y = tl.load(y_ptr + i)
    tl.store(z_ptr + i, x + y)


def add(x, y):
    z = torch.empty_like(x)
    add_kernel[(x.numel() // 128 + 1,)](x, y, z, BLOCK=128)
    return z


def run():
    x, y = torch.randn(512), torch.randn(512)
    begin([x, y])
    return add(x, y), x + y
