"""Right, but one program goes through all blocks: one multiprocessor works, the others wait."""

import torch
import triton
import triton.language as tl


@triton.jit
def triton_gelu_kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    for start in range(0, num_elements, BLOCK_SIZE):
        offsets = start + tl.arange(0, BLOCK_SIZE)
        mask = offsets < num_elements
        x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
        y = x * tl.sigmoid(2.0 * 0.7978845608 * (x + 0.044715 * x * x * x))
        tl.store(y_ptr + offsets, y, mask=mask)


def triton_gelu(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    triton_gelu_kernel[(1,)](x, y, x.numel(), BLOCK_SIZE=1024)
    return y


def predict_programs(num_elements):
    return 1


def predict_bytes(num_elements):
    return 8 * num_elements
