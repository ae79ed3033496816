"""The accumulator's dtype is returned instead of the inputs'."""

import torch
import triton
import triton.language as tl


@triton.jit
def triton_matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_col, b_row, b_col, c_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP_M * tiles_n) * GROUP_M
    group_size = min(tiles_m - first, GROUP_M)
    tile_m = first + pid % (GROUP_M * tiles_n) % group_size
    tile_n = pid % (GROUP_M * tiles_n) // group_size
    row = (tile_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M))[:, None]
    col = (tile_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K).to(tl.int64)
        a = tl.load(a_ptr + row * a_row + k[None, :] * a_col, mask=(row < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * b_row + col * b_col, mask=(k[:, None] < K) & (col < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + row * c_row + col, acc, mask=(row < M) & (col < N))


BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 32


def triton_matmul(a, b):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float32, device=a.device)
    triton_matmul_kernel[(triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N),)](
        a, b, c, M, N, K, *a.stride(), *b.stride(), c.stride(0),
        BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, GROUP_M=8,
    )  # fmt: skip
    return c


def predict_programs(M, N):
    return triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N)


def predict_bytes(M, N, K):
    return 2 * (M * K * triton.cdiv(N, BLOCK_N) + K * N * triton.cdiv(M, BLOCK_M) + M * N)
