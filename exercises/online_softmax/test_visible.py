"""The cases a student sees."""

import pytest


def compare(submission, expect, reference, x):
    expect(submission.online_softmax(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(2)
@pytest.mark.parametrize("num_cols", [100, 8192, 20_000], ids=lambda n: f"num_cols={n}")
def test_small(submission, make, expect, reference, num_cols):
    """rows of less than a tile, of a multiple of usual tiles, and of some tiles and a rest"""
    compare(submission, expect, reference, make.randn(2, num_cols))


@pytest.mark.points(2)
def test_rising(submission, make, expect, reference):
    """sorted rows: the maximum rises from tile to tile"""
    compare(submission, expect, reference, make.randn(2, 20_000).sort(dim=-1).values * 10)


@pytest.mark.points(1)
@pytest.mark.call_limit(60)
def test_wider_than_a_block(submission, make, expect, reference):
    """a row of 1,050,000 columns: no block of Triton has more than 2**20 elements"""
    compare(submission, expect, reference, make.randn(1, 1_050_000))
