import pytest
import torch


@pytest.mark.points(1)
def test_half(submission, make, expect, reference):
    """float16"""
    x = make.randn(9, dtype=torch.float16)
    expect(submission.double(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(1)
@pytest.mark.visibility("none")
def test_secret(submission, make, expect, reference):
    """a case of which nothing is shown"""
    x = make.randn(1)
    expect(submission.double(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))
