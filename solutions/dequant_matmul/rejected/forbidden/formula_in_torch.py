"""Unpacked and multiplied by torch."""

import torch
import triton


def dequant_matmul(x, packed, scales):
    by_group = packed.reshape(packed.shape[0], -1, 64)
    weights = torch.cat([(by_group << 4) >> 4, by_group >> 4], dim=2).reshape(packed.shape[0], -1)
    weights = weights.to(torch.float32) * scales.T.to(torch.float32).repeat_interleave(128, dim=1)
    return (x.to(torch.float32) @ weights.T).to(x.dtype)


def predict_programs(M, N, K):
    return triton.cdiv(N, 64)


def predict_bytes(M, N, K):
    return N * K // 2 + K // 128 * N * 2 + triton.cdiv(N, 64) * M * K * 2 + M * N * 2
