"""Tensors passed as another type of the same width, and exchanged by atomics."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def swap_kernel(x_ptr, y_ptr, seen_ptr, half, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < 2 * half
    tl.store(y_ptr + (i + half) % (2 * half), tl.load(x_ptr + i, mask=mask), mask=mask)
    tl.atomic_xchg(seen_ptr + i, 1, mask=mask)


@triton.jit
def check_kernel(seen_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(seen_ptr + i, mask=i < n, other=0), axis=0))


def run():
    x = torch.randn(100)
    begin([x])
    y = torch.empty_like(x)
    seen, total = torch.empty(100, dtype=torch.int32), torch.empty(1, dtype=torch.int32)
    swap_kernel[(4,)](triton.reinterpret(x, tl.int32), triton.reinterpret(y, tl.int32), seen, 50, BLOCK=32)
    check_kernel[(1,)](seen, total, 100, BLOCK=128)
    return torch.cat((y, total)), torch.cat((x[50:], x[:50], torch.tensor([100.0])))
