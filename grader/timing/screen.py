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
    out_ptr, ref_ptr, atol_ptr, atol, far_ptr, num_elements, num_cols, atol_row_stride, atol_col_stride, rtol,
    HAS_ATOLS: tl.constexpr, BLOCK_SIZE: tl.constexpr,
):  # fmt: skip
    offsets = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    out = tl.load(out_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    ref = tl.load(ref_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    bound = atol + rtol * tl.abs(ref)
    if HAS_ATOLS:
        places = (offsets // num_cols) * atol_row_stride + (offsets % num_cols) * atol_col_stride
        bound += tl.load(atol_ptr + places, mask=mask, other=0.0).to(tl.float32)
    near = ((tl.abs(out - ref) <= bound) & (tl.abs(ref) < float("inf"))) | (out == ref)
    far = tl.sum((~near & mask).to(tl.int32), axis=0)
    if far > 0:
        tl.atomic_add(far_ptr, far)


def count_far(out: torch.Tensor, ref: torch.Tensor, tolerance: Tolerance, far: torch.Tensor) -> None:
    """Add to `far` (int32, one element) how many elements of `out` are not within the tolerance of `ref`.

    Both are float tensors of one shape; the comparison is made in float32. A NaN is far from everything.
    """
    num_elements = ref.numel()
    if not num_elements:
        return
    num_cols = ref.shape[-1] if ref.dim() else 1
    atol, atols = 0.0, far.expand(1, 1)
    if isinstance(tolerance.atol, torch.Tensor):
        atols = tolerance.atol.expand(ref.shape).reshape(-1, num_cols)
    else:
        atol = float(tolerance.atol)
    _count_far[(triton.cdiv(num_elements, BLOCK_SIZE),)](
        out.contiguous(), ref.contiguous(), atols, atol, far, num_elements, num_cols, *atols.stride(),
        float(tolerance.rtol), HAS_ATOLS=isinstance(tolerance.atol, torch.Tensor), BLOCK_SIZE=BLOCK_SIZE,
    )  # fmt: skip
