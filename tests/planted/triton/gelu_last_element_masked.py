"""The mask leaves out the last element: nobody computes it."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "incorrect"


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n - 1  # BUG
    x = tl.load(x_ptr + i, mask=mask)
    tl.store(y_ptr + i, x / (1 + tl.exp(-1.702 * x)), mask=mask)


def run():
    x = torch.randn(1000)
    begin([x])
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(1000, 256),)](x, y, 1000, BLOCK=256)
    return y, x * torch.sigmoid(1.702 * x)
