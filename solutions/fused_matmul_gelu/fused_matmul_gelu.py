"""GeLU(A · B) in one Triton kernel: the product never reaches memory. See README.md."""

import math

import torch
import triton
import triton.language as tl

# The kernel of `triton_matmul`, with an epilogue; the tile and its options are explained there.
BLOCK_M, BLOCK_N, BLOCK_K = 128, 256, 64
OPTIONS = {"num_warps": 8, "num_stages": 3}
GROUP_M = 8

# 0.5 (1 + tanh u) is 1 / (1 + exp(-2 u)), and exp(-2 u) is 2 to the power of x · (LINEAR + CUBIC · x²).
LINEAR = tl.constexpr(-2 * math.sqrt(2 / math.pi) * math.log2(math.e))
CUBIC = tl.constexpr(-2 * math.sqrt(2 / math.pi) * math.log2(math.e) * 0.044715)


@triton.jit
def gelu(x):
    # The tensor cores wait while this runs, so each instruction counts: one power of two, one division, five more.
    # Nothing overflows to NaN: for x far below 0 the power is inf, and x / inf is 0.
    return x / (1.0 + tl.exp2(x * (LINEAR + CUBIC * x * x)))


@triton.jit
def fused_matmul_gelu_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    a_row_stride,
    a_col_stride,
    b_row_stride,
    b_col_stride,
    c_row_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    # Down the columns of a group of GROUP_M rows of tiles, so that the L2 cache serves programs of the same time.
    pid = tl.program_id(axis=0)
    tiles_along_m = tl.cdiv(M, BLOCK_M)
    tiles_along_n = tl.cdiv(N, BLOCK_N)
    first_tile_m = pid // (GROUP_M * tiles_along_n) * GROUP_M
    group_size = min(tiles_along_m - first_tile_m, GROUP_M)
    pid_in_group = pid % (GROUP_M * tiles_along_n)
    tile_m = first_tile_m + pid_in_group % group_size
    tile_n = pid_in_group // group_size

    row = tile_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    col = tile_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K).to(tl.int64)
        a_col, b_row = k[None, :], k[:, None]
        a = tl.load(
            a_ptr + row * a_row_stride + a_col * a_col_stride,
            mask=(row < M) & (a_col < K),
            other=0.0,
        )
        b = tl.load(
            b_ptr + b_row * b_row_stride + col * b_col_stride,
            mask=(b_row < K) & (col < N),
            other=0.0,
        )
        accumulator = tl.dot(a, b, accumulator)

    # Here the sums are complete, in float32 and in registers. A kernel of its own for GeLU would find them in memory,
    # already rounded.
    tl.store(c_ptr + row * c_row_stride + col, gelu(accumulator), mask=(row < M) & (col < N))


def fused_matmul_gelu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """GeLU (tanh form) of A (M x K) · B (K x N) for float16 or bfloat16, as a new tensor of the same dtype."""
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    block_m, block_n, block_k, options = BLOCK_M, BLOCK_N, BLOCK_K, OPTIONS
    if a.is_cuda and torch.cuda.get_device_capability(a.device) < (8, 0):
        # Here Triton multiplies without tensor cores, thread by thread, and needs registers for both tiles, too.
        block_m, block_n, block_k, options = 64, 64, 32, {"num_warps": 4, "num_stages": 1}
    fused_matmul_gelu_kernel[(triton.cdiv(M, block_m) * triton.cdiv(N, block_n),)](
        a,
        b,
        c,
        M,
        N,
        K,
        a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1),
        c.stride(0),
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
        GROUP_M=GROUP_M,
        **options,
    )
    return c


def predict_bytes(M: int, N: int, K: int) -> int:
    """What the plain product moves: A for each column of tiles, B for each row of tiles, C once. GeLU adds nothing."""
    num_elements = M * K * triton.cdiv(N, BLOCK_N) + K * N * triton.cdiv(M, BLOCK_M) + M * N
    return 2 * num_elements
