"""The cases a student sees."""

import pytest
import torch

DTYPES = [torch.float16, torch.bfloat16]


def compare(submission, expect, reference, a, b):
    expect(
        submission.triton_matmul(a, b),
        reference.reference(a, b),
        dtype=a.dtype,
        tolerance=reference.tolerance(a, b),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize("dtype", DTYPES, ids=["float16", "bfloat16"])
@pytest.mark.parametrize(("M", "N", "K"), [(64, 64, 64), (100, 70, 90)])
def test_small(submission, make, expect, reference, M, N, K, dtype):
    """one size that is a multiple of usual tiles, and one that is not"""
    compare(submission, expect, reference, make.randn(M, K, dtype=dtype), make.randn(K, N, dtype=dtype))


@pytest.mark.points(2)
def test_transposed_b(submission, make, expect, reference):
    """B is the transpose of a matrix, a view: its columns lie side by side"""
    a, b = make.randn(40, 72, dtype=torch.float16), make.randn(90, 72, dtype=torch.float16)
    compare(submission, expect, reference, a, b.T)
