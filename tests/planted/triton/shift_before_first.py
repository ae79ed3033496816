"""The left neighbour of the first element is read."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def difference_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    left = tl.load(x_ptr + i - 1, mask=i < n)  # BUG
    tl.store(y_ptr + i, tl.where(i == 0, x, x - left), mask=i < n)


def run():
    x = torch.randn(100)
    begin([x])
    y = torch.empty_like(x)
    difference_kernel[(2,)](x, y, 100, BLOCK=64)
    return y, torch.diff(x, prepend=torch.zeros(1))
