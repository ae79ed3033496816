"""Batches of matrices through tiles, a 3-D grid, and a permuted view."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def transpose_kernel(x_ptr, y_ptr, M, N, xb, xm, xn, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    rm, rn = tl.program_id(1) * BLOCK + r, tl.program_id(2) * BLOCK + r
    batch = tl.program_id(0)
    x_mask = (rm[:, None] < M) & (rn[None, :] < N)
    x = tl.load(x_ptr + batch * xb + rm[:, None] * xm + rn[None, :] * xn, mask=x_mask)
    y_mask = (rn[:, None] < N) & (rm[None, :] < M)
    tl.store(y_ptr + batch * M * N + rn[:, None] * M + rm[None, :], tl.trans(x), mask=y_mask)


def run():
    x = torch.randn(20, 3, 36).permute(1, 0, 2)
    begin([x])
    y = torch.empty(3, 36, 20)
    transpose_kernel[(3, 2, 3)](x, y, 20, 36, *x.stride(), BLOCK=16)
    return y, x.mT
