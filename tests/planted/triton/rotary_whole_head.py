"""The cosines, one for two elements, are read with the index of all elements."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def rotary_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, WIDTH: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, WIDTH)
    half: tl.constexpr = WIDTH // 2
    x = tl.load(x_ptr + row * WIDTH + i)
    other = tl.load(x_ptr + row * WIDTH + (i + half) % WIDTH)
    cos = tl.load(cos_ptr + row * half + i)  # BUG
    sin = tl.load(sin_ptr + row * half + i % half)
    tl.store(y_ptr + row * WIDTH + i, x * cos + tl.where(i < half, -other, other) * sin)


def run():
    x, angle = torch.randn(4, 16), torch.randn(4, 8)
    cos, sin = angle.cos(), angle.sin()
    begin([x, cos, sin])
    y = torch.empty_like(x)
    rotary_kernel[(4,)](x, cos, sin, y, WIDTH=16)
    turned = torch.cat((-x[:, 8:], x[:, :8]), dim=1)
    return y, x * cos.repeat(1, 2) + turned * sin.repeat(1, 2)
