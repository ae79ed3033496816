"""The output is stored with the strides of the input."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def transpose_kernel(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    rm, rn = tl.program_id(0) * BLOCK + r, tl.program_id(1) * BLOCK + r
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    x = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=mask)
    tl.store(y_ptr + rn[None, :] * N + rm[:, None], x, mask=mask)  # BUG


def run():
    x = torch.randn(20, 36)
    begin([x])
    y = torch.empty(36, 20)
    transpose_kernel[(2, 3)](x, y, 20, 36, BLOCK=16)
    return y, x.T
