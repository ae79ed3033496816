"""Every block of rows stores its sums of the columns in the same place."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "race"


@triton.jit
def columns_kernel(x_ptr, out_ptr, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + cols, tl.sum(x, axis=0), mask=cols < N)  # BUG


def run():
    x = torch.randn(20, 12)
    begin([x])
    out = torch.zeros(12)
    columns_kernel[(3,)](x, out, 20, 12, ROWS=8, BLOCK=16)
    return out, x.sum(dim=0)
