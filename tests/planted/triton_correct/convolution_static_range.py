"""An unrolled window with zeros outside, masked on both sides."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def convolve_kernel(x_ptr, w_ptr, y_ptr, n, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(WIDTH):
        at = i + k - WIDTH // 2
        acc += tl.load(x_ptr + at, mask=(at >= 0) & (at < n), other=0.0) * tl.load(w_ptr + k)
    tl.store(y_ptr + i, acc, mask=i < n)


def run():
    x, w = torch.randn(90), torch.randn(5)
    begin([x, w])
    y = torch.empty_like(x)
    convolve_kernel[(3,)](x, w, y, 90, WIDTH=5, BLOCK=32)
    return y, torch.nn.functional.conv1d(x[None, None], w[None, None], padding=2)[0, 0]
