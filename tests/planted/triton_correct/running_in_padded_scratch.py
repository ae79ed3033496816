"""A kernel fills scratch memory from torch.empty; the next one reads just that, twice, by other views."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def copy_kernel(x_ptr, y_ptr, x_stride, y_stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(y_ptr + row * y_stride + cols, tl.load(x_ptr + row * x_stride + cols, mask=cols < n), mask=cols < n)


@triton.jit
def pairs_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr.to(tl.pointer_type(tl.int64)) + i))


def run():
    x = torch.randn(4, 10)
    begin([x])
    scratch = torch.empty(4, 16, dtype=x.dtype)
    copy_kernel[(4,)](x, scratch, 10, 16, 10, BLOCK=16)
    y = torch.empty(10, 4).T
    z = torch.empty(4, 10)
    copy_kernel[(4,)](scratch[:, :10], z, 16, 10, 10, BLOCK=16)
    copy_kernel[(1,)](z.flatten(), y.T, 0, 0, 40, BLOCK=64)
    bits = torch.empty(16, dtype=torch.int64)
    pairs_kernel[(1,)](y.T, bits, BLOCK=16)
    return bits.view(torch.float32), x.reshape(-1)[:32]
