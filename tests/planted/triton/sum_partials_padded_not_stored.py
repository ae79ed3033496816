"""There are as many partial sums as the second stage reads, but not all of them are stored."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "uninitialised"


@triton.jit
def partial_kernel(x_ptr, parts_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(parts_ptr + pid, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def total_kernel(parts_ptr, out_ptr, BLOCK: tl.constexpr):
    parts = tl.load(parts_ptr + tl.arange(0, BLOCK))  # BUG
    tl.store(out_ptr, tl.sum(parts, axis=0))


def run():
    x = torch.randn(300)
    begin([x])
    parts, out = torch.empty(8), torch.empty(1)
    partial_kernel[(5,)](x, parts, 300, BLOCK=64)
    total_kernel[(1,)](parts, out, BLOCK=8)
    return out, x.sum()[None]
