"""The cases that only staff have."""

import pytest


@pytest.mark.points(2)
@pytest.mark.parametrize("num_elements", [1, 127, 1000])
def test_sizes(submission, make, expect, reference, num_elements):
    """sizes that are no multiple of a block"""
    x = make.randn(num_elements)
    expect(submission.NAME(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
