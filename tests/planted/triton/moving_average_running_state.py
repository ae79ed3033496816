"""A running average is updated that was never begun."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "uninitialised"


@triton.jit
def average_kernel(x_ptr, state_ptr, n, decay, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    state = tl.load(state_ptr + i, mask=mask)  # BUG
    x = tl.load(x_ptr + i, mask=mask)
    tl.store(state_ptr + i, decay * state + (1 - decay) * x, mask=mask)


def run():
    x = torch.randn(50)
    begin([x])
    state = torch.empty(50)
    average_kernel[(2,)](x, state, 50, 0.9, BLOCK=32)
    return state, 0.1 * x
