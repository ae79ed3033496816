"""The cases a student sees."""

import pytest
import torch


def compare(submission, expect, reference, a, b, c):
    (M, K), N = a.shape, b.shape[1]
    submission.matmul(a, b, c, M, N, K)
    expect(c, reference.reference(a, b), dtype=torch.float32, tolerance=reference.tolerance(a, b))


@pytest.mark.points(2)
@pytest.mark.parametrize("size", [32, 64], ids=lambda n: f"size={n}")
def test_square(submission, make, expect, reference, size):
    """square matrices whose size is a multiple of usual tiles"""
    compare(submission, expect, reference, make.randn(size, size), make.randn(size, size), make.unwritten(size, size))


@pytest.mark.points(2)
def test_ragged(submission, make, expect, reference):
    """M = 37, N = 50, K = 45: no multiple of a tile, no square"""
    compare(submission, expect, reference, make.randn(37, 45), make.randn(45, 50), make.unwritten(37, 50))
