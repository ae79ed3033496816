"""Atomics into bins that torch.zeros made, and a total by every lane."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def histogram_kernel(x_ptr, bins_ptr, total_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.atomic_add(bins_ptr + x, 1, mask=i < n)
    tl.atomic_add(total_ptr + tl.zeros_like(i), x, mask=i < n)


def run():
    x = torch.randint(0, 10, (100,), dtype=torch.int32)
    begin([x])
    bins = torch.empty(11, dtype=torch.int32).zero_()
    histogram_kernel[(4,)](x, bins, bins[10:], 100, BLOCK=32)
    return bins, torch.cat((torch.bincount(x, minlength=10), x.sum()[None])).int()
