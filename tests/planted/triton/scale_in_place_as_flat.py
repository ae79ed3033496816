"""A view with padding is scaled in place as if it were one flat array."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "padding"


@triton.jit
def scale_kernel(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)  # BUG
    tl.store(x_ptr + i, x * factor, mask=i < n)


def run():
    x = torch.randn(8, 24)[:, :20]
    begin([x])
    expected = x * 2
    scale_kernel[(triton.cdiv(160, 64),)](x, 2.0, 160, BLOCK=64)
    return x, expected
