"""Two lanes of one store have the same target."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "race"


@triton.jit
def scatter_kernel(x_ptr, index_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    at = tl.load(index_ptr + i, mask=i < n)
    tl.store(y_ptr + at, x, mask=i < n)  # BUG


def run():
    x, index = torch.randn(20), torch.arange(20) // 2
    begin([x, index])
    y = torch.zeros(20)
    scatter_kernel[(1,)](x, index, y, 20, BLOCK=32)
    return y, torch.zeros(20).index_add(0, index, x)
