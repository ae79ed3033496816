"""The offset of a row passes 2**31 and is computed in 32 bits."""

import mmap

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def row_sum_kernel(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0)  # BUG
    tl.store(y_ptr + row, tl.sum(x, axis=0))


def run():
    memory = torch.frombuffer(mmap.mmap(-1, 2**32 + 2**29), dtype=torch.float16)  # pages are taken where they are used
    x = memory.as_strided((5, 12), (2**29, 1))
    begin([x])
    y = torch.empty(5, dtype=torch.float16)
    row_sum_kernel[(5,)](x, y, x.stride(0), 12, BLOCK=16)
    return y, x.sum(dim=1)
