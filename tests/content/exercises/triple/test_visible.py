import pytest


@pytest.mark.points(2)
@pytest.mark.parametrize("size", [0, 1, 5])
def test_vector(submission, make, expect, reference, size):
    """vectors, one of them empty"""
    x = make.integers(size, low=-9, high=9)
    expect(submission.triple(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(1)
def test_zeros(submission, make, expect, reference):
    """zeros, whose triple needs no work"""
    x = make.integers(4, low=0, high=1)
    expect(submission.triple(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
