"""The store is masked by the end of the matrix, not of the row: programs overwrite each other's rows."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "race"


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_rows, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=float("-inf"))
    num = tl.exp(x - tl.max(x, axis=0))
    at = row * n_cols + cols
    tl.store(y_ptr + at, num / tl.sum(num, axis=0), mask=at < n_rows * n_cols)  # BUG


def run():
    x = torch.randn(5, 23)
    begin([x])
    y = torch.empty_like(x)
    softmax_kernel[(5,)](x, y, 5, 23, BLOCK=32)
    return y, torch.softmax(x, dim=1)
