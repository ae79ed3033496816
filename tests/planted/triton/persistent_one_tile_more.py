"""The loop of a persistent program takes one tile too many."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def double_kernel(x_ptr, y_ptr, num_tiles, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), num_tiles + 1, tl.num_programs(0)):
        i = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i)  # BUG
        tl.store(y_ptr + i, 2 * x)


def run():
    x = torch.randn(7 * 32)
    begin([x])
    y = torch.empty_like(x)
    double_kernel[(3,)](x, y, 7, BLOCK=32)
    return y, 2 * x
