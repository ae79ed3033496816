"""The cases a student sees."""

import math

import pytest
import torch

DTYPES = [torch.float16, torch.bfloat16]


def compare(submission, expect, reference, a, b):
    expect(
        submission.fused_matmul_gelu(a, b),
        reference.reference(a, b),
        dtype=a.dtype,
        tolerance=reference.tolerance(a, b),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize("dtype", DTYPES, ids=["float16", "bfloat16"])
@pytest.mark.parametrize(("M", "N", "K"), [(64, 64, 64), (100, 70, 90)])
def test_small(submission, make, expect, reference, M, N, K, dtype):
    """one size that is a multiple of usual tiles, and one that is not"""
    a = make.randn(M, K, dtype=dtype, scale=2 / math.sqrt(K))
    compare(submission, expect, reference, a, make.randn(K, N, dtype=dtype))


@pytest.mark.points(2)
def test_short_sums(submission, make, expect, reference):
    """K = 20: few errors of adding, so that the formula and its roundings show"""
    a = make.randn(80, 20, dtype=torch.float16, scale=0.4)
    compare(submission, expect, reference, a, make.randn(20, 90, dtype=torch.float16))
