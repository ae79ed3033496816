"""Right, but what is inside tanh goes through memory, from one kernel to the next.

Loses: one launch, each byte once; predicts its programs; predicts its bytes
"""

import torch
import triton
import triton.language as tl


@triton.jit
def inner_kernel(x_ptr, u_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(u_ptr + offsets, 0.7978845608 * (x + 0.044715 * x * x * x), mask=mask)


@triton.jit
def outer_kernel(x_ptr, u_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    u = tl.load(u_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x * tl.sigmoid(2.0 * u), mask=mask)


def triton_gelu(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)
    u = torch.empty_like(x, dtype=torch.float32)
    inner_kernel[grid](x, u, x.numel(), BLOCK_SIZE=1024)
    outer_kernel[grid](x, u, y, x.numel(), BLOCK_SIZE=1024)
    return y


def predict_programs(num_elements):
    return triton.cdiv(num_elements, 1024)


def predict_bytes(num_elements):
    return 8 * num_elements
