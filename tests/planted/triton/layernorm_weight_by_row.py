"""The weight is read with the offset of the row, as if it were a matrix."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin

EXPECTED = "memory"


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, y_ptr, n, eps, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=mask, other=0.0)
    centred = tl.where(mask, x - tl.sum(x, axis=0) / n, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w = tl.load(w_ptr + row * n + cols, mask=mask)  # BUG
    tl.store(y_ptr + row * n + cols, centred * scale * w, mask=mask)


def run():
    x, w = torch.randn(5, 48), torch.randn(48)
    begin([x, w])
    y = torch.empty_like(x)
    layernorm_kernel[(5,)](x, w, y, 48, 1e-5, BLOCK=64)
    return y, torch.nn.functional.layer_norm(x, (48,), w)
