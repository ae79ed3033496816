"""The target -100, which means to ignore the row, is used as a column."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def loss_kernel(x_ptr, target_ptr, loss_ptr, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=float("-inf"))
    target = tl.load(target_ptr + row)
    m = tl.max(x, axis=0)
    picked = tl.load(x_ptr + row * n + target)  # BUG
    loss = tl.log(tl.sum(tl.exp(x - m), axis=0)) + m - picked
    tl.store(loss_ptr + row, tl.where(target < 0, 0.0, loss))


def run():
    x, target = torch.randn(5, 12), torch.tensor([-100, 3, 11, 0, 7])
    begin([x, target])
    loss = torch.empty(5)
    loss_kernel[(5,)](x, target, loss, 12, BLOCK=16)
    return loss, torch.nn.functional.cross_entropy(x, target, reduction="none")
