"""The prediction is there, the kernel is not."""

import torch
import triton


def fused_matmul_gelu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError


def predict_bytes(M, N, K):
    return 2 * (M * K * triton.cdiv(N, 64) + K * N * triton.cdiv(M, 64) + M * N)
