"""The block comes from a heuristic; two stages share statistics through torch.empty."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def statistics_kernel(x_ptr, mean_ptr, rstd_ptr, n, eps, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(cols < n, x - mean, 0.0)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, tl.rsqrt(tl.sum(centred * centred, axis=0) / n + eps))


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def normalise_kernel(x_ptr, mean_ptr, rstd_ptr, w_ptr, b_ptr, y_ptr, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=mask)
    y = (x - tl.load(mean_ptr + row)) * tl.load(rstd_ptr + row) * tl.load(w_ptr + cols, mask=mask)
    if HAS_BIAS:
        y += tl.load(b_ptr + cols, mask=mask)
    tl.store(y_ptr + row * n + cols, y, mask=mask)


def layernorm(x, w, b):
    mean, rstd = x.new_empty(len(x)), x.new_empty(len(x))
    y = torch.empty_like(x)
    statistics_kernel[(len(x),)](x, mean, rstd, x.shape[1], 1e-5)
    normalise_kernel[(len(x),)](x, mean, rstd, w, b, y, x.shape[1], HAS_BIAS=b is not None)
    return y


def run():
    x, w, b = torch.randn(5, 48), torch.randn(48), torch.randn(48)
    begin([x, w, b])
    expected = [torch.nn.functional.layer_norm(x, (48,), w, bias) for bias in (b, None)]
    return torch.cat((layernorm(x, w, b), layernorm(x, w, None))), torch.cat(expected)
