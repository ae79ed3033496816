"""The kernel is there, and nobody launches it."""

import torch
import triton
import triton.language as tl


@triton.jit
def triton_gelu_kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    y = x * tl.sigmoid(2.0 * 0.7978845608 * (x + 0.044715 * x * x * x))
    tl.store(y_ptr + offsets, y, mask=mask)


def triton_gelu(x):
    raise NotImplementedError


def predict_programs(num_elements):
    return triton.cdiv(num_elements, 1024)


def predict_bytes(num_elements):
    return 8 * num_elements
