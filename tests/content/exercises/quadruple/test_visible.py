import pytest


@pytest.mark.points(2)
@pytest.mark.parametrize("size", [1, 5])
def test_vector(submission, make, expect, reference, size):
    """vectors"""
    x = make.integers(size, low=-9, high=9)
    expect(submission.quadruple(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(1)
@pytest.mark.visibility("pattern")
def test_halves(submission, make, expect, reference):
    """numbers that are not whole"""
    x = make.integers(7, low=-9, high=9) / 2
    expect(submission.quadruple(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
