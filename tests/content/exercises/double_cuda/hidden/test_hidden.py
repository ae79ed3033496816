import pytest


@pytest.mark.points(2)
@pytest.mark.parametrize("count", [1, 33, 300])
def test_sizes(submission, make, expect, reference, count):
    """sizes that are no multiple of a block"""
    x, out = make.shifted(make.randn(count), 1), make.unwritten(count)
    submission.twice(x, out, count)
    expect(out, reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
