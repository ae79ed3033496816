"""A row a program, with strides of both dimensions, on a view with padding."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def softmax_kernel(x_ptr, y_ptr, x_row, x_col, y_row, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row + cols * x_col, mask=mask, other=-float("inf"))
    num = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row + cols, num / tl.sum(num, axis=0), mask=mask)


def softmax(x):
    y = torch.empty(x.shape)
    softmax_kernel[(x.shape[0],)](x, y, *x.stride(), y.stride(0), x.shape[1], BLOCK=64, num_warps=8)
    return y


def run():
    x, turned = torch.randn(5, 50)[:, :37], torch.randn(37, 6).T
    begin([x, turned])
    got = torch.cat((softmax(x), softmax(turned)))
    return got, torch.softmax(torch.cat((x, turned)), dim=1)
