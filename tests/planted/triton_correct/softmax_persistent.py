"""As many programs as the device has processors, each with several rows."""

import torch
import triton
import triton.language as tl

from shared.triton_checks import begin


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_rows, n_cols, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
        num = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * n_cols + cols, num / tl.sum(num, axis=0), mask=cols < n_cols)


def run():
    x = torch.randn(230, 20)
    begin([x])
    device = triton.runtime.driver.active.get_current_device()
    properties = triton.runtime.driver.active.utils.get_device_properties(device)
    programs = min(properties["multiprocessor_count"], x.shape[0])
    stages = 4 if properties["max_shared_mem"] > 200_000 else 2
    y = torch.empty_like(x)
    softmax_kernel[(programs, 1, 1)](x, y, 230, 20, BLOCK=32, STAGES=stages)
    return y, torch.softmax(x, dim=1)
