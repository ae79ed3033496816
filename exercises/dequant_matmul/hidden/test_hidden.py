"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch


def compare(submission, expect, reference, x, packed, scales):
    expect(
        submission.dequant_matmul(x, packed, scales),
        reference.reference(x, packed, scales),
        dtype=x.dtype,
        tolerance=reference.tolerance(x, packed, scales),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize(("M", "N", "K"), [(1, 100, 384), (7, 33, 640), (16, 129, 128), (13, 1, 256), (2, 70, 2176)])
def test_sizes(submission, make, expect, reference, M, N, K):
    """M from 1 to 16, N that is no multiple of a block, numbers of groups that no power of two divides"""
    compare(submission, expect, reference, *reference.make_inputs(make, M=M, N=N, K=K))


@pytest.mark.points(2)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_dtypes(submission, make, expect, reference, dtype):
    """both dtypes, summed in float32 and rounded once, over a K of 1920"""
    compare(submission, expect, reference, *reference.make_inputs(make, M=5, N=48, K=1920, dtype=dtype))


@pytest.mark.points(1)
def test_rows_further_apart(submission, make, expect, reference):
    """rows of x that lie further apart in memory than they are long"""
    x, packed, scales = reference.make_inputs(make, M=6, N=40, K=256)
    compare(submission, expect, reference, make.padded(x, padding=24), packed, scales)


@pytest.mark.points(3)
@pytest.mark.parametrize("values", ["all -8", "all 7", "low nibbles", "high nibbles", "far scales", "large sums"])
def test_values(submission, make, expect, reference, values):
    """extreme weights, one nibble of each byte alone, scales of many sizes, sums beyond half precision's range"""
    x, packed, scales = reference.make_inputs(make, M=4, N=40, K=512)
    if values == "far scales":
        scales = torch.tensor([4.0, 0.125, -2.0, 0.5])[:, None] * torch.ones(40)
        scales = (scales * torch.logspace(-2, 0, 40)).to(x.dtype)
    if values == "large sums":
        x, scales = x.abs() * 64 + 900, scales * torch.tensor([1.0, -1.0, 1.0, -1.0])[:, None].to(x.dtype) / 4
        packed = torch.full_like(packed, 0x77)
    fill = {"all -8": -120, "all 7": 0x77}.get(values)
    if fill is not None:
        packed = torch.full_like(packed, fill)
    if values == "low nibbles":
        packed = packed & 0x0F
    if values == "high nibbles":
        packed = packed & -16
    compare(submission, expect, reference, x, packed, scales)
