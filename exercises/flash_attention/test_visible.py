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
def test_small(submission, make, expect, reference):
    """two batches of three heads, 70 queries and keys"""
    compare(submission, expect, reference, *reference.make_inputs(make, 2, 3, 70, 64))


@pytest.mark.points(2)
@pytest.mark.parametrize("length", [64, 150], ids=lambda n: f"length={n}")
def test_causal(submission, make, expect, reference, length):
    """causal: query i sees keys 0 to i"""
    compare(submission, expect, reference, *reference.make_inputs(make, 1, 1, length, 64, causal=True))
