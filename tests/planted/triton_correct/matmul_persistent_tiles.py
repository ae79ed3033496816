"""A fixed number of programs walks over all tiles."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def tile_of(tile, num_n):
    return tile // num_n, tile % num_n


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    num_n = tl.cdiv(N, BLOCK)
    for tile in range(tl.program_id(0), tl.cdiv(M, BLOCK) * num_n, tl.num_programs(0)):
        pid_m, pid_n = tile_of(tile, num_n)
        rm, rn = pid_m * BLOCK + r, pid_n * BLOCK + r
        acc = tl.zeros((BLOCK, BLOCK), tl.float32)
        for k in range(0, K, BLOCK):
            rk = k + r
            a = tl.load(a_ptr + rm[:, None] * K + rk, mask=(rm < M)[:, None] & (rk < K)[None, :], other=0.0)
            b = tl.load(b_ptr + rk[:, None] * N + rn, mask=(rk < K)[:, None] & (rn < N)[None, :], other=0.0)
            acc += tl.dot(a, b, input_precision="ieee")
        tl.store(c_ptr + rm[:, None] * N + rn, acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


def run():
    a, b = torch.randn(50, 20), torch.randn(20, 40)
    begin([a, b])
    c = torch.empty(50, 40)
    matmul_kernel[(5,)](a, b, c, 50, 40, 20, BLOCK=16)
    return c, a @ b
