"""The kernel begins with what lies in the output, which comes from torch.empty."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "uninitialised"


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    rn = tl.program_id(0) * BLOCK + r
    c_ptrs = c_ptr + r[:, None] * N + rn[None, :]
    acc = tl.load(c_ptrs)  # BUG
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptr + r[:, None] * K + (k + r)[None, :])
        acc += tl.dot(a, tl.load(b_ptr + (k + r)[:, None] * N + rn[None, :]))
    tl.store(c_ptrs, acc)


def run():
    a, b = torch.randn(16, 32), torch.randn(32, 48)
    begin([a, b])
    c = a.new_empty(16 * 48).view(16, 48)
    matmul_kernel[(3,)](a, b, c, 48, 32, BLOCK=16)
    return c, a @ b
