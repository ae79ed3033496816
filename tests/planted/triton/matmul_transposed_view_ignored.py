"""The strides of B are taken for those of a contiguous matrix, though it is a transposed view."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "incorrect"


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    rm, rn = tl.program_id(0) * BLOCK + r, tl.program_id(1) * BLOCK + r
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptr + rm[:, None] * K + (k + r)[None, :])
        b = tl.load(b_ptr + (k + r)[:, None] * N + rn[None, :])  # BUG
        acc += tl.dot(a, b)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc)


def run():
    a, b = torch.randn(16, 32), torch.randn(48, 32).T
    begin([a, b])
    c = torch.empty(16, 48)
    matmul_kernel[(1, 3)](a, b, c, 48, 32, BLOCK=16)
    return c, a @ b
