"""The weights beyond the last column are loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(
    x_ptr, packed_ptr, scales_ptr, y_ptr, x_row_stride, M, N, num_groups,
    GROUP_SIZE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    HALF: tl.constexpr = GROUP_SIZE // 2
    dtype: tl.constexpr = x_ptr.dtype.element_ty
    n = tl.program_id(axis=0) * BLOCK_N + tl.arange(0, BLOCK_N)
    m = tl.arange(0, BLOCK_M)
    j = tl.arange(0, HALF)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for group in range(num_groups):
        packed_ptrs = packed_ptr + n[None, :].to(tl.int64) * (num_groups * HALF) + group * HALF + j[:, None]
        packed = tl.load(packed_ptrs, mask=n[None, :] < 1 << 30, other=0)
        x_ptrs = x_ptr + m[:, None] * x_row_stride + group * GROUP_SIZE + j[None, :]
        x_low = tl.load(x_ptrs, mask=m[:, None] < M, other=0.0)
        x_high = tl.load(x_ptrs + HALF, mask=m[:, None] < M, other=0.0)
        low = ((packed << 4) >> 4).to(dtype)
        high = (packed >> 4).to(dtype)
        total = tl.dot(x_low, low) + tl.dot(x_high, high)
        scale = tl.load(scales_ptr + group * N + n, mask=n < N, other=0.0).to(tl.float32)
        acc += total * scale[None, :]
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def dequant_matmul(x, packed, scales):
    M, N, num_groups = x.shape[0], packed.shape[0], scales.shape[0]
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(N, 64),)](
        x, packed, scales, y, x.stride(0), M, N, num_groups, GROUP_SIZE=128, BLOCK_M=16, BLOCK_N=64
    )
    return y


def predict_programs(M, N, K):
    return triton.cdiv(N, 64)


def predict_bytes(M, N, K):
    return N * K // 2 + K // 128 * N * 2 + triton.cdiv(N, 64) * M * K * 2 + M * N * 2
