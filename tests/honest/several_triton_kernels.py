"""Three Triton kernels in a row, with a temporary tensor between them."""
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def add_kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    tl.store(y_ptr + offsets, tl.load(y_ptr + offsets, mask=mask) + tl.load(x_ptr + offsets, mask=mask), mask=mask)


def double(x):
    x = x.contiguous()
    out, temporary = torch.empty_like(x), torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 16),)
    copy_kernel[grid](x, temporary, x.numel(), BLOCK_SIZE=16)
    copy_kernel[grid](temporary, out, x.numel(), BLOCK_SIZE=16)
    add_kernel[grid](x, out, x.numel(), BLOCK_SIZE=16)
    return out
