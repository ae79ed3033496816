"""One kernel for bfloat16, float16, int32, int8 and bool."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def select_kernel(keep_ptr, x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    keep = tl.load(keep_ptr + i, mask=mask, other=0)
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(z_ptr + i, tl.where(keep != 0, x + y, x), mask=mask)


def run():
    keep = torch.arange(70) % 3 > 0
    got, expected = [], []
    for dtype in (torch.bfloat16, torch.float16, torch.int32, torch.int8):
        x, y = (torch.randint(-50, 50, (70,)).to(dtype) for _ in range(2))
        begin([keep, x, y])
        z = torch.empty_like(x)
        select_kernel[(3,)](keep, x, y, z, 70, BLOCK=32)
        got.append(z.double())
        expected.append(torch.where(keep, x + y, x).double())
    return torch.cat(got), torch.cat(expected)
