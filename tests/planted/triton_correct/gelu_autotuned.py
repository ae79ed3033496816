"""Autotuned, with a grid that depends on the configuration."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

CONFIGS = [triton.Config({"BLOCK": 64 * k}, num_warps=k, num_stages=s) for k in (1, 2, 4) for s in (2, 3)]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    a = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    tanh = 2 / (1 + tl.exp(-2 * a)) - 1
    tl.store(y_ptr + i, 0.5 * x * (1 + tanh), mask=i < n)


def run():
    x = torch.randn(1000)
    begin([x])
    y = torch.empty_like(x)
    gelu_kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, 1000)
    return y, torch.nn.functional.gelu(x, approximate="tanh")
