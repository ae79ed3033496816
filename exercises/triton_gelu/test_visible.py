"""The cases a student sees."""

import pytest
import torch


def compare(submission, expect, reference, x):
    expect(submission.triton_gelu(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(2)
@pytest.mark.parametrize("num_elements", [1024, 3000], ids=lambda n: f"num_elements={n}")
def test_small(submission, make, expect, reference, num_elements):
    """normal values, one size a power of two and one no multiple of it"""
    compare(submission, expect, reference, make.randn(num_elements))


@pytest.mark.points(2)
def test_whole_curve(submission, make, expect, reference):
    """evenly spaced values from -6 to 6, and both zeros"""
    x = torch.cat([torch.linspace(-6.0, 6.0, 301), torch.tensor([0.0, -0.0])])
    compare(submission, expect, reference, x)
