"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch


def compare(submission, expect, reference, x):
    expect(
        submission.triton_softmax(x),
        reference.reference(x),
        dtype=x.dtype,
        tolerance=reference.tolerance(x),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize("num_cols", [1, 31, 127, 128, 129, 257, 1009, 2048])
def test_widths(submission, make, expect, reference, num_cols):
    """widths around powers of two, 1, and a prime"""
    compare(submission, expect, reference, make.randn(3, num_cols, scale=3.0))


@pytest.mark.points(2)
@pytest.mark.parametrize("layout", ["transposed", "every second column", "padded", "sliced rows"])
def test_layouts(submission, make, expect, reference, layout):
    """views: a transpose, every second column, padding between rows, part of a larger matrix"""
    x = make.randn(21, 34)
    views = {
        "transposed": x.T,
        "every second column": x[:, ::2],
        "padded": make.padded(x, padding=17),
        "sliced rows": x[3:20:2, 5:30],
    }
    compare(submission, expect, reference, views[layout])


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32], ids=["float16", "bfloat16", "float32"]
)
def test_dtypes(submission, make, expect, reference, dtype):
    """each floating-point type, computed in float32 and rounded once"""
    compare(submission, expect, reference, make.randn(4, 1000, dtype=dtype, scale=2.0))


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "values", ["huge", "very negative", "minus infinity", "equal", "rising", "falling", "one spike"]
)
def test_extreme_values(submission, make, expect, reference, values):
    """very large and very negative values, masked entries, equal and sorted rows"""
    x = make.randn(4, 300)
    sorted_rows = x.sort(dim=-1).values
    masked = x.clone()
    masked[:, 100:] = float("-inf")
    spike = x.clone()
    spike[:, 299] = 50.0
    rows = {
        "huge": x * 1e4 + 3e4,
        "very negative": x - 1e5,
        "minus infinity": masked,
        "equal": torch.full((4, 300), 7.25),
        "rising": sorted_rows * 10,
        "falling": sorted_rows.flip(-1) * 10,
        "one spike": spike,
    }
    compare(submission, expect, reference, rows[values])
