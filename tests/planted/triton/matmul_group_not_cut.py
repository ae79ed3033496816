"""The last group of the grouped order is not cut to the rows that are left: tiles are missing."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "incorrect"


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    per_group = GROUP * tl.cdiv(N, BLOCK)
    first = pid // per_group * GROUP
    pid_m = first + pid % per_group % GROUP  # BUG
    pid_n = pid % per_group // GROUP
    r = tl.arange(0, BLOCK)
    rm, rn = pid_m * BLOCK + r, pid_n * BLOCK + r
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptr + (rm % M)[:, None] * K + (k + r)[None, :])
        b = tl.load(b_ptr + (k + r)[:, None] * N + (rn % N)[None, :])
        acc += tl.dot(a, b)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def run():
    a, b = torch.randn(48, 16), torch.randn(16, 32)
    begin([a, b])
    c = torch.empty(48, 32)
    matmul_kernel[(6,)](a, b, c, 48, 32, 16, BLOCK=16, GROUP=2)
    return c, a @ b
