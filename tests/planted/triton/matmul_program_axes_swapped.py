"""The two axes of the grid are swapped in the kernel."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :])  # BUG
        b = tl.load(b_ptr + rk[:, None] * N + rn[None, :])
        acc += tl.dot(a, b)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc)


def run():
    a, b = torch.randn(16, 32), torch.randn(32, 48)
    begin([a, b])
    c = torch.empty(16, 48)
    matmul_kernel[(1, 3)](a, b, c, 48, 32, BM=16, BN=16, BK=16)
    return c, a @ b
