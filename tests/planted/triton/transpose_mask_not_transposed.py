"""The tile is transposed and its mask is made with the sizes of the input."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def transpose_kernel(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    rm, rn = tl.program_id(0) * BLOCK + r, tl.program_id(1) * BLOCK + r
    x = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))
    y_mask = (rn[:, None] < M) & (rm[None, :] < N)
    tl.store(y_ptr + rn[:, None] * M + rm[None, :], tl.trans(x), mask=y_mask)  # BUG


def run():
    x = torch.randn(36, 20)
    begin([x])
    y = torch.empty(20, 36)
    transpose_kernel[(3, 2)](x, y, 36, 20, BLOCK=16)
    return y, x.T
