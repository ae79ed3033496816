"""C = A · B on tensor cores, in Triton. See README.md."""

import torch
import triton
import triton.language as tl

# A step along K loads (128 + 256) · 64 elements and multiplies 128 · 256 · 64 pairs: 85 operations for each byte from
# L2, where a tile of 128 x 128 has 64 and leaves an H200's tensor cores waiting. The sums take 128 of the 255 registers
# that a thread can have, with 8 warps; a larger tile does not fit.
BLOCK_M, BLOCK_N, BLOCK_K = 128, 256, 64
# The tiles of a step take 48 KB of shared memory. Three stages are 144 KB, of 227 KB on an H200; before Hopper one
# buffer less is needed, and 96 KB fit on every GPU that has asynchronous copies.
OPTIONS = {"num_warps": 8, "num_stages": 3}
GROUP_M = 8


@triton.jit
def triton_matmul_kernel(
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
    # Programs that run at the same time have neighbouring numbers. Numbered down the columns of a group of 8 rows of
    # tiles, 132 of them share 8 rows of A and 17 columns of B through the L2 cache; row by row, with N = 8192, it
    # would be 5 rows of A and all 32 columns of B.
    pid = tl.program_id(axis=0)
    tiles_along_m = tl.cdiv(M, BLOCK_M)
    tiles_along_n = tl.cdiv(N, BLOCK_N)
    first_tile_m = pid // (GROUP_M * tiles_along_n) * GROUP_M
    group_size = min(tiles_along_m - first_tile_m, GROUP_M)  # the last group may have fewer rows
    pid_in_group = pid % (GROUP_M * tiles_along_n)
    tile_m = first_tile_m + pid_in_group % group_size
    tile_n = pid_in_group // group_size

    # 64 bits, because row * stride passes 2**31 in a matrix of more than 4 GB.
    row = tile_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    col = tile_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]

    # Products of half-precision numbers are exact in float32, and that is where tensor cores add them.
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K).to(tl.int64)
        a_col, b_row = k[None, :], k[:, None]
        # Zero beyond K: there the lanes of both tiles meet in one product, and neither may hold what lies in memory.
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

    # The store rounds to the result's dtype, once.
    tl.store(c_ptr + row * c_row_stride + col, accumulator, mask=(row < M) & (col < N))


def triton_matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A (M x K) · B (K x N) for float16 or bfloat16, as a new tensor of the same dtype."""
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    block_m, block_n, block_k, options = BLOCK_M, BLOCK_N, BLOCK_K, OPTIONS
    if a.is_cuda and torch.cuda.get_device_capability(a.device) < (8, 0):
        # Here Triton multiplies without tensor cores, thread by thread, and needs registers for both tiles, too.
        block_m, block_n, block_k, options = 64, 64, 32, {"num_warps": 4, "num_stages": 1}
    # One row of programs instead of a 2-D grid: the kernel decides on their order itself.
    triton_matmul_kernel[(triton.cdiv(M, block_m) * triton.cdiv(N, block_n),)](
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


def predict_programs(M: int, N: int) -> int:
    """One for each tile of C, those at the edges included."""
    return triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N)


def predict_bytes(M: int, N: int, K: int) -> int:
    """A once for each column of tiles, B once for each row of tiles, C once."""
    num_elements = M * K * triton.cdiv(N, BLOCK_N) + K * N * triton.cdiv(M, BLOCK_M) + M * N
    return 2 * num_elements
