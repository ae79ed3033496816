"""In place, on a view with padding, and with nothing to do for an empty tensor."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def scale_kernel(x_ptr, factor, stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    at = x_ptr + row * stride + cols
    tl.store(at, tl.load(at, mask=cols < n) * factor, mask=cols < n)


def scale_(x, factor):
    scale_kernel[(x.shape[0],)](x, factor, x.stride(0), x.shape[1], BLOCK=32)
    return x


def run():
    x, empty = torch.randn(8, 24)[:, :20], torch.randn(0, 20)
    begin([x, empty])
    expected = x * 2
    scale_(empty, 2.0)
    return scale_(x, 2.0), expected
