"""Compare an output with another in one pass over memory: how many elements lie too far apart.

Between two batches hundreds of outputs are compared. torch would write a difference, its size, the bound and the
answer, each as large as the output; here nothing is written but a number.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from shared.tolerance import Tolerance

BLOCK_SIZE = 4096


@triton.jit  # type: ignore[untyped-decorator]
def _count_far(  # type: ignore[no-untyped-def]
    out_ptr, ref_ptr, atol_ptr, far_ptr, num_elements, num_cols, atol_row_stride, atol_col_stride, rtol, margin,
    BLOCK_SIZE: tl.constexpr,
):  # fmt: skip
    offsets = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    out = tl.load(out_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    ref = tl.load(ref_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    rows, cols = offsets // num_cols, offsets % num_cols
    atol = tl.load(atol_ptr + rows * atol_row_stride + cols * atol_col_stride, mask=mask, other=0.0).to(tl.float32)
    near = (tl.abs(out - ref) <= margin * (atol + rtol * tl.abs(ref))) & (tl.abs(ref) < float("inf"))
    near = near | (out == ref)
    far = tl.sum((~near & mask).to(tl.int32), axis=0)
    if far > 0:
        tl.atomic_add(far_ptr, far)


def count_far(out: torch.Tensor, ref: torch.Tensor, tolerance: Tolerance, margin: float, far: torch.Tensor) -> None:
    """Add to `far` (int32, one element) how many elements of `out` are not within `margin` tolerances of `ref`.

    Both are float tensors of one shape; the comparison is made in float32. A NaN is far from everything.
    """
    num_cols = max(1, ref.shape[-1]) if ref.dim() else 1
    atol = torch.as_tensor(tolerance.atol, device=ref.device).expand(ref.shape).reshape(-1, num_cols)
    num_elements = ref.numel()
    if num_elements:
        _count_far[(triton.cdiv(num_elements, BLOCK_SIZE),)](
            out.contiguous(), ref.contiguous(), atol, far, num_elements, num_cols, *atol.stride(),
            float(tolerance.rtol), float(margin), BLOCK_SIZE=BLOCK_SIZE,
        )  # fmt: skip
