"""The cases a student sees."""

import pytest


def compare(submission, expect, reference, *inputs):
    expect(
        submission.flash_attention(*inputs),
        reference.reference(*inputs),
        dtype=inputs[0].dtype,
        tolerance=reference.tolerance(*inputs),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize("length", [64, 100], ids=lambda n: f"length={n}")
def test_small(submission, make, expect, reference, length):
    """two batches of three heads, one length a power of two and one not"""
    compare(submission, expect, reference, *reference.make_inputs(make, 2, 3, length, 64))


@pytest.mark.points(2)
@pytest.mark.parametrize("length", [128, 200], ids=lambda n: f"length={n}")
def test_causal(submission, make, expect, reference, length):
    """causal: query i sees keys 0 to i"""
    compare(submission, expect, reference, *reference.make_inputs(make, 1, 1, length, 64, causal=True))
