import pytest


@pytest.mark.points(1)
def test_small(submission, make, expect, reference):
    """one small vector"""
    x = make.randn(7)
    expect(submission.double(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(2)
@pytest.mark.parametrize("cols", [4, 5])
def test_matrix(submission, make, expect, reference, cols):
    """matrices with padding between the rows"""
    x = make.padded(make.randn(3, cols), padding=3)
    expect(submission.double(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
