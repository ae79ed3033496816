"""The row that is broadcast is read with the index of the matrix."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def add_kernel(x_ptr, row_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    r = tl.load(row_ptr + i, mask=mask)  # BUG
    tl.store(z_ptr + i, x + r, mask=mask)


def run():
    x, row = torch.randn(6, 30), torch.randn(30)
    begin([x, row])
    z = torch.empty_like(x)
    add_kernel[(triton.cdiv(180, 64),)](x, row, z, 180, BLOCK=64)
    return z, x + row
