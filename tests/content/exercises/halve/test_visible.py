import pytest


@pytest.mark.points(12)
def test_matrix(submission, make, expect, reference):
    """a matrix of whole numbers"""
    x = make.integers(3, 5, low=-9, high=10)
    expect(submission.halve(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
