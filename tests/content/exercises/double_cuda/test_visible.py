import pytest


@pytest.mark.points(1)
def test_small(submission, make, expect, reference):
    """one small vector"""
    x, out = make.randn(70), make.unwritten(70)
    submission.twice(x, out, 70)
    expect(out, reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
