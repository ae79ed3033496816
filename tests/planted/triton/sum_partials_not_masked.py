"""The second stage of a sum reads a whole block of partial sums, of which there are fewer."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


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
    parts, out = torch.empty(5), torch.empty(1)
    partial_kernel[(5,)](x, parts, 300, BLOCK=64)
    total_kernel[(1,)](parts, out, BLOCK=triton.next_power_of_2(5))
    return out, x.sum()[None]
