"""y = x @ W for W in int4, which is unpacked on the way into the tensor cores. See README.md."""

import torch
import triton
import triton.language as tl

GROUP_SIZE = 128  # weights along K that share a scale
BLOCK_M = 16  # the smallest that tl.dot takes; rows beyond M are not loaded
BLOCK_N = 128
GROUPS_PER_PROGRAM = 16  # small enough for several programs per multiprocessor, large enough to fill the pipeline
BLOCK_SIZE = 1024  # of the kernel that adds the parts

# A power of two whose last mantissa bit is worth 1: 1024 in float16, 128 in bfloat16.
BASES = {torch.float16: 0x6400, torch.bfloat16: 0x4300}


@triton.jit
def exact(bits, base, dtype: tl.constexpr):
    # ORed into the mantissa of 2**k, the integer `bits` gives exactly 2**k + bits: no conversion instruction.
    return (bits | base).to(dtype, bitcast=True)


@triton.jit
def dequant_matmul_kernel(
    x_ptr,
    packed_ptr,
    scales_ptr,
    part_ptr,
    x_row_stride,
    base,
    M,
    N,
    num_groups,
    GROUP_SIZE: tl.constexpr,
    GROUPS_PER_PROGRAM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    HALF: tl.constexpr = GROUP_SIZE // 2
    dtype: tl.constexpr = x_ptr.dtype.element_ty
    # An argument and no constant: an instruction has room for one immediate, so (w & 7) | base is one, not two.
    base = base.to(tl.int16)

    # M is so small that the weights have to fill the tensor cores' rows: this computes (W^T x^T), N x M.
    n = tl.program_id(axis=0) * BLOCK_N + tl.arange(0, BLOCK_N)
    m = tl.arange(0, BLOCK_M)
    j = tl.arange(0, HALF)
    n_mask, m_mask = n < N, m < M
    packed_ptrs = packed_ptr + n[:, None].to(tl.int64) * (num_groups * HALF) + j[None, :]
    x_ptrs = x_ptr + m[None, :] * x_row_stride + j[:, None]

    part = tl.program_id(axis=1)
    first = part * GROUPS_PER_PROGRAM
    acc = tl.zeros((BLOCK_N, BLOCK_M), tl.float32)
    for group in range(first, tl.minimum(first + GROUPS_PER_PROGRAM, num_groups)):
        packed = tl.load(packed_ptrs + group * HALF, mask=n_mask[:, None], other=0)
        x_low = tl.load(x_ptrs + group * GROUP_SIZE, mask=m_mask[None, :], other=0.0)
        x_high = tl.load(x_ptrs + group * GROUP_SIZE + HALF, mask=m_mask[None, :], other=0.0)
        scale = tl.load(scales_ptr + group * N + n, mask=n_mask, other=0.0).to(tl.float32)

        # A nibble in two's complement is its low three bits minus its sign bit; the bases cancel. The upper nibble
        # stays where it is, and so comes out 16 times too large: that is mended once per sum, not per weight.
        w = packed.to(tl.int16)
        low = exact(w & 0x07, base, dtype) - exact(w & 0x08, base, dtype)
        high = exact(w & 0x70, base, dtype) - exact(w & 0x80, base, dtype)
        total = tl.dot(low, x_low) + tl.dot(high, x_high) * (1 / 16)

        # One scale for the whole group, so it is factored out of the sum, in float32.
        acc += total * scale[:, None]

    part_ptrs = part_ptr + (part * M + m[None, :]) * N + n[:, None]
    tl.store(part_ptrs, acc, mask=n_mask[:, None] & m_mask[None, :])


@triton.jit
def sum_parts_kernel(part_ptr, y_ptr, num_parts, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    total = tl.zeros((BLOCK_SIZE,), tl.float32)
    for part in range(num_parts):
        total += tl.load(part_ptr + part * num_elements + offsets, mask=mask, other=0.0)
    # Rounded once, and added in the same order in each run; atomic additions into y would do neither.
    tl.store(y_ptr + offsets, total, mask=mask)


def dequant_matmul(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """x (M, K) times the int4 weights `packed` (N, K / 2) with `scales` (K / GROUP_SIZE, N), in x's dtype."""
    M, N, num_groups = x.shape[0], packed.shape[0], scales.shape[0]
    # N alone gives too few programs to keep the memory busy, so K is split as well.
    num_parts = triton.cdiv(num_groups, GROUPS_PER_PROGRAM)
    parts = torch.empty((num_parts, M, N), dtype=torch.float32, device=x.device)
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    dequant_matmul_kernel[(triton.cdiv(N, BLOCK_N), num_parts)](
        x,
        packed,
        scales,
        parts,
        x.stride(0),
        BASES[x.dtype],
        M,
        N,
        num_groups,
        GROUP_SIZE=GROUP_SIZE,
        GROUPS_PER_PROGRAM=GROUPS_PER_PROGRAM,
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        num_warps=4,
        num_stages=4,  # three tiles of 8 KB on their way in each program
    )
    sum_parts_kernel[(triton.cdiv(M * N, BLOCK_SIZE),)](parts, y, num_parts, M * N, BLOCK_SIZE=BLOCK_SIZE)
    return y


def predict_programs(M: int, N: int, K: int) -> int:
    """Programs of both kernels together."""
    num_parts = triton.cdiv(K // GROUP_SIZE, GROUPS_PER_PROGRAM)
    return triton.cdiv(N, BLOCK_N) * num_parts + triton.cdiv(M * N, BLOCK_SIZE)


def predict_bytes(M: int, N: int, K: int) -> int:
    """Bytes that both kernels load and store."""
    num_groups = K // GROUP_SIZE
    weights = N * K // 2 + num_groups * N * 2
    x = triton.cdiv(N, BLOCK_N) * M * K * 2  # once for each block of columns
    parts = 2 * triton.cdiv(num_groups, GROUPS_PER_PROGRAM) * M * N * 4  # written, then read
    return weights + x + parts + M * N * 2
