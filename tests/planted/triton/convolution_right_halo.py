"""The window is masked by its middle: its right part leaves the row."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def convolve_kernel(x_ptr, w_ptr, y_ptr, n, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(WIDTH):
        x = tl.load(x_ptr + i + k, mask=i < n, other=0.0)  # BUG
        acc += x * tl.load(w_ptr + k)
    tl.store(y_ptr + i, acc, mask=i < n - WIDTH + 1)


def run():
    x, w = torch.randn(90), torch.randn(3)
    begin([x, w])
    y = torch.empty(88)
    convolve_kernel[(3,)](x, w, y, 90, WIDTH=3, BLOCK=32)
    return y, torch.nn.functional.conv1d(x[None, None], w[None, None])[0, 0]
