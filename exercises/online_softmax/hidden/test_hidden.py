"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch


def compare(submission, expect, reference, x):
    expect(submission.online_softmax(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


@pytest.mark.points(2)
@pytest.mark.parametrize("num_cols", [1, 31, 1023, 1025, 4097, 16_385, 40_961])
def test_widths(submission, make, expect, reference, num_cols):
    """widths of 1, and one beside powers of two"""
    compare(submission, expect, reference, make.randn(2, num_cols, scale=3.0))


@pytest.mark.points(2)
@pytest.mark.parametrize("layout", ["transposed", "every second column", "padded", "sliced rows"])
def test_layouts(submission, make, expect, reference, layout):
    """views: a transpose, every second column, padding between rows, part of a larger matrix"""
    x = make.randn(4, 12_000)
    views = {
        "transposed": make.randn(5001, 2).T,
        "every second column": x[:, ::2],
        "padded": make.padded(x, padding=17),
        "sliced rows": x[1:4:2, 5:11_000],
    }
    compare(submission, expect, reference, views[layout])


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32], ids=["float16", "bfloat16", "float32"]
)
def test_dtypes(submission, make, expect, reference, dtype):
    """each floating-point type, summed in float32 and rounded once"""
    compare(submission, expect, reference, make.randn(2, 20_000, dtype=dtype, scale=0.5))


@pytest.mark.points(2)
@pytest.mark.parametrize(
    "values",
    ["huge", "very negative", "equal", "falling", "spike in the last column", "begins with -inf", "mostly -inf"],
)
def test_extreme_values(submission, make, expect, reference, values):
    """huge and very negative values, sorted rows, a late spike, rows that begin with or mostly are -inf"""
    x = make.randn(1, 20_001)
    spike, begins, mostly = x.clone(), x.clone(), torch.full_like(x, float("-inf"))
    spike[:, -1] = 50.0
    begins[:, :17_000] = float("-inf")
    mostly[:, 9000:9003] = x[:, :3]
    rows = {
        "huge": x * 1e4 + 3e4,
        "very negative": x - 1e5,
        "equal": torch.full_like(x, 7.25),
        "falling": x.sort(dim=-1, descending=True).values * 10,
        "spike in the last column": spike,
        "begins with -inf": begins,
        "mostly -inf": mostly,
    }
    compare(submission, expect, reference, rows[values])
