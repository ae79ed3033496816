"""The pointer is advanced before the first tile: the last load is one tile too far."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a_ptrs = a_ptr + rm[:, None] * K + rk[None, :]
    b_ptrs = b_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(tl.cdiv(K, BK)):
        b_ptrs += BK * N
        acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))  # BUG
        a_ptrs += BK
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc)


def run():
    a, b = torch.randn(16, 32), torch.randn(32, 48)
    begin([a, b])
    c = torch.empty(16, 48)
    matmul_kernel[(1, 3)](a, b, c, 48, 32, BM=16, BN=16, BK=16)
    return c, a @ b
