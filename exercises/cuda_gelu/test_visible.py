"""The cases a student sees."""

import pytest
import torch


def compare(submission, make, expect, reference, x):
    out = make.unwritten(x.numel())
    submission.gelu(x, out, x.numel())
    expect(out, reference.reference(x), dtype=torch.float32, tolerance=reference.tolerance(x))


@pytest.mark.points(2)
@pytest.mark.parametrize("num_elements", [512, 1000], ids=lambda n: f"num_elements={n}")
def test_small(submission, make, expect, reference, num_elements):
    """normal values, one size a multiple of usual blocks and one not"""
    compare(submission, make, expect, reference, make.randn(num_elements))


@pytest.mark.points(2)
def test_whole_curve(submission, make, expect, reference):
    """evenly spaced values from -6 to 6, and both zeros"""
    x = torch.cat([torch.linspace(-6.0, 6.0, 301), torch.tensor([0.0, -0.0])])
    compare(submission, make, expect, reference, x)
