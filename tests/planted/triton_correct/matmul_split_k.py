"""The parts of K are added by atomics, autotuned, with the result set to 0 before each trial."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

CONFIGS = [triton.Config({"BK": bk}) for bk in (16, 32)]


@triton.autotune(configs=CONFIGS, key=["K"], reset_to_zero=["c_ptr"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, SPLIT: tl.constexpr, BLOCK: tl.constexpr, BK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    rm, rn = tl.program_id(0) * BLOCK + r, tl.program_id(1) * BLOCK + r
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(tl.program_id(2) * BK, K, SPLIT * BK):
        rk = k + tl.arange(0, BK)
        a_mask = (rm[:, None] < M) & (rk[None, :] < K)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=a_mask, other=0.0)
        b_mask = (rk[:, None] < K) & (rn[None, :] < N)
        b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=b_mask, other=0.0)
        acc += tl.dot(a, b)
    c_mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.atomic_add(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=c_mask, sem="relaxed")


def run():
    a, b = torch.randn(20, 75), torch.randn(75, 40)
    begin([a, b])
    c = torch.empty(20, 40)
    matmul_kernel[(2, 3, 2)](a, b, c, 20, 40, 75, SPLIT=2, BLOCK=16)
    return c, a @ b
