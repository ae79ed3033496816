"""The cases a student sees."""

import pytest


@pytest.mark.points(2)
def test_one_block(submission, make, expect, reference):
    """a block of 128 elements"""
    x = make.randn(128)
    expect(submission.NAME(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
