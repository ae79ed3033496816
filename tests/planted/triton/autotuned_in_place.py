"""An autotuned kernel works in place: every trial changes the input again."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "incorrect"


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"])  # BUG
@triton.jit
def increment_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)


def run():
    x = torch.randn(100)
    begin([x])
    expected = x + 1
    increment_kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, 100)
    return x, expected
