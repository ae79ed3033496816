"""The largest value has a bin of its own, for which there is no room."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def histogram_kernel(x_ptr, bins_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.atomic_add(bins_ptr + (x * 10).to(tl.int32), 1, mask=i < n)  # BUG


def run():
    x = torch.rand(100)
    x[37] = 1.0
    begin([x])
    bins = torch.zeros(10, dtype=torch.int32)
    histogram_kernel[(4,)](x, bins, 100, BLOCK=32)
    return bins, torch.histc(x, 10, 0, 1).int()
