"""The predictions are there, the product is not."""

import torch
import triton


def triton_matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError


def predict_programs(M, N):
    return triton.cdiv(M, 64) * triton.cdiv(N, 64)


def predict_bytes(M, N, K):
    return 2 * (M * K * triton.cdiv(N, 64) + K * N * triton.cdiv(M, 64) + M * N)
