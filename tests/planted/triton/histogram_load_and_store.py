"""Bins are counted by load and store: programs, and lanes, overwrite each other's counts."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "race"


@triton.jit
def histogram_kernel(x_ptr, bins_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    count = tl.load(bins_ptr + x, mask=i < n, other=0)
    tl.store(bins_ptr + x, count + 1, mask=i < n)  # BUG


def run():
    x = torch.randint(0, 10, (100,), dtype=torch.int32)
    begin([x])
    bins = torch.zeros(10, dtype=torch.int32)
    histogram_kernel[(4,)](x, bins, 100, BLOCK=32)
    return bins, torch.bincount(x, minlength=10).int()
