"""Grouped order, pointers that advance, rows that wrap instead of being masked."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    num_m, num_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    per_group = GROUP * num_n
    first = pid // per_group * GROUP
    size = min(num_m - first, GROUP)
    pid_m = first + (pid % per_group) % size
    pid_n = (pid % per_group) // size
    tl.assume(pid_m >= 0)
    rm = (pid_m * BM + tl.arange(0, BM)) % M
    rn = (pid_n * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    a_ptrs = a_ptr + rm[:, None] * am + rk[None, :] * ak
    b_ptrs = b_ptr + rk[:, None] * bk + rn[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=rk[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * ak
        b_ptrs += BK * bk
    if ACTIVATION == "leaky":
        acc = leaky(acc)
    cm_at = pid_m * BM + tl.arange(0, BM)
    cn_at = pid_n * BN + tl.arange(0, BN)
    mask = (cm_at[:, None] < M) & (cn_at[None, :] < N)
    tl.store(c_ptr + cm * cm_at[:, None] + cn * cn_at[None, :], acc, mask=mask)


def run():
    a, b = torch.randn(50, 40)[:, :35], torch.randn(40, 35).T
    begin([a, b])
    c = torch.empty((50, 40))
    grid = (triton.cdiv(50, 16) * triton.cdiv(40, 16),)
    sizes = (50, 40, 35, *a.stride(), *b.stride(), *c.stride())
    matmul_kernel[grid](a, b, c, *sizes, BM=16, BN=16, BK=16, GROUP=3, ACTIVATION="leaky")
    return c, torch.nn.functional.leaky_relu(a @ b)
