"""The parts of K are added atomically to a result that nobody has set to 0."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "uninitialised"


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    rn = tl.program_id(0) * BLOCK + r
    rk = tl.program_id(1) * BLOCK + r
    part = tl.dot(tl.load(a_ptr + r[:, None] * K + rk[None, :]), tl.load(b_ptr + rk[:, None] * N + rn[None, :]))
    tl.atomic_add(c_ptr + r[:, None] * N + rn[None, :], part)  # BUG


def run():
    a, b = torch.randn(16, 32), torch.randn(32, 48)
    begin([a, b])
    c = torch.empty(16, 48)
    matmul_kernel[(3, 2)](a, b, c, 48, 32, BLOCK=16)
    return c, a @ b
