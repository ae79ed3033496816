"""The product comes from cuBLAS, only GeLU from a kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    u = 0.7978845608 * (x + 0.044715 * x * x * x)
    tl.store(y_ptr + offsets, x * tl.sigmoid(2 * u), mask=mask)


def fused_matmul_gelu(a, b):
    product = torch.mm(a, b, out_dtype=torch.float32) if a.is_cuda else a.float() @ b.float()
    y = torch.empty(product.shape, dtype=a.dtype, device=a.device)
    gelu_kernel[(triton.cdiv(y.numel(), 1024),)](product, y, y.numel(), BLOCK_SIZE=1024)
    return y


def predict_bytes(M, N, K):
    return (4 + 2) * M * N
