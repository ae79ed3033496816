"""Every lane stores its own value in the one element for the row's maximum."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "race"


@triton.jit
def maximum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n)
    tl.store(out_ptr + row + cols * 0, x, mask=cols < n)  # BUG


def run():
    x = torch.randn(6, 12)
    begin([x])
    out = torch.empty(6)
    maximum_kernel[(6,)](x, out, 12, BLOCK=16)
    return out, x.max(dim=1).values
