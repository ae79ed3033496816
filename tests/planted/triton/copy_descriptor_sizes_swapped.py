"""The shape of a tensor descriptor is given as (columns, rows)."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def copy_kernel(x_desc, y_ptr, M, N, BLOCK: tl.constexpr):
    rm, rn = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    x = x_desc.load([rm, rn])  # BUG
    r = tl.arange(0, BLOCK)
    at = (rm + r)[:, None] * N + (rn + r)[None, :]
    tl.store(y_ptr + at, x, mask=((rm + r)[:, None] < M) & ((rn + r)[None, :] < N))


def run():
    x = torch.randn(20, 36)
    begin([x])
    y = torch.empty_like(x)
    x_desc = TensorDescriptor(x, [36, 20], [36, 1], [16, 16])
    copy_kernel[(2, 3)](x_desc, y, 20, 36, BLOCK=16)
    return y, x
