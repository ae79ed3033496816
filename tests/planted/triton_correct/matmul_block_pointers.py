"""Block pointers with boundary checks, fp16 in, fp32 sums, fp16 out."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    a_block = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (pid_m * BLOCK, 0), (BLOCK, BLOCK), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, pid_n * BLOCK), (BLOCK, BLOCK), (1, 0))
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for _ in range(0, K, BLOCK):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        a_block = tl.advance(a_block, (0, BLOCK))
        b_block = tl.advance(b_block, (BLOCK, 0))
    c_block = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (pid_m * BLOCK, pid_n * BLOCK), (BLOCK, BLOCK), (1, 0))
    tl.store(c_block, acc.to(tl.float16), boundary_check=(0, 1))


def run():
    a, b = torch.randn(20, 35).half(), torch.randn(35, 40).half()
    begin([a, b])
    c = torch.empty(20, 40, dtype=torch.float16)
    matmul_kernel[(2, 3)](a, b, c, 20, 40, 35, BLOCK=16)
    return c, (a.float() @ b.float()).half()
