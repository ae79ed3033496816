"""Right, but each step of the formula is a kernel of its own: ten transfers of an element where two would do."""

import torch
import triton
import triton.language as tl


@triton.jit
def cube(x_ptr, out_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < num_elements).to(tl.float32)
    tl.store(out_ptr + offsets, x * x * x, mask=offsets < num_elements)


@triton.jit
def inside(x_ptr, cube_ptr, out_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < num_elements).to(tl.float32)
    cubed = tl.load(cube_ptr + offsets, mask=offsets < num_elements)
    tl.store(out_ptr + offsets, 0.7978845608 * (x + 0.044715 * cubed), mask=offsets < num_elements)


@triton.jit
def logistic(u_ptr, out_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    u = tl.load(u_ptr + offsets, mask=offsets < num_elements)
    tl.store(out_ptr + offsets, tl.sigmoid(2.0 * u), mask=offsets < num_elements)


@triton.jit
def product(x_ptr, s_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < num_elements).to(tl.float32)
    s = tl.load(s_ptr + offsets, mask=offsets < num_elements)
    tl.store(y_ptr + offsets, x * s, mask=offsets < num_elements)


def triton_gelu(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    a, b = torch.empty_like(x, dtype=torch.float32), torch.empty_like(x, dtype=torch.float32)
    grid = (triton.cdiv(x.numel(), 1024),)
    cube[grid](x, a, x.numel(), BLOCK_SIZE=1024)
    inside[grid](x, a, b, x.numel(), BLOCK_SIZE=1024)
    logistic[grid](b, a, x.numel(), BLOCK_SIZE=1024)
    product[grid](x, a, y, x.numel(), BLOCK_SIZE=1024)
    return y


def predict_programs(num_elements):
    return 4 * triton.cdiv(num_elements, 1024)


def predict_bytes(num_elements):
    return (2 + 3 + 2 + 3) * 4 * num_elements
