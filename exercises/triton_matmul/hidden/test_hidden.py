"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch

from shared.tolerance import EXACT


def compare(submission, expect, reference, a, b, tolerance=None):
    expect(
        submission.triton_matmul(a, b),
        reference.reference(a, b),
        dtype=a.dtype,
        tolerance=tolerance or reference.tolerance(a, b),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("M", "N", "K"), [(1, 1, 1), (1, 300, 17), (130, 1, 33), (50, 40, 1), (33, 65, 129), (129, 257, 65)]
)
def test_sizes(submission, make, expect, reference, M, N, K):
    """no size a multiple of the tile, wide and tall matrices, sizes of 1, K shorter than a tile and K of 1"""
    dtype = torch.float16 if M > 100 else torch.bfloat16
    compare(submission, expect, reference, make.randn(M, K, dtype=dtype), make.randn(K, N, dtype=dtype))


@pytest.mark.points(2)
@pytest.mark.parametrize(("M", "N", "K"), [(1100, 140, 10), (140, 900, 10)])
def test_orders(submission, make, expect, reference, M, N, K):
    """many tiles along M or along N, and a last group with fewer rows of tiles: each tile is computed once"""
    a, b = make.randn(M, K, dtype=torch.float16), make.randn(K, N, dtype=torch.float16)
    compare(submission, expect, reference, a, b)


@pytest.mark.points(2)
@pytest.mark.parametrize("layout", ["A transposed", "both transposed", "padded", "every second", "parts"])
def test_layouts(submission, make, expect, reference, layout):
    """views of A and B: transposes, padding between rows, every second row or column, parts of larger matrices"""
    M, N, K = 45, 70, 52
    a, b = make.randn(M, K, dtype=torch.bfloat16), make.randn(K, N, dtype=torch.bfloat16)
    views = {
        "A transposed": (make.randn(K, M, dtype=torch.bfloat16).T, b),
        "both transposed": (make.randn(K, M, dtype=torch.bfloat16).T, make.randn(N, K, dtype=torch.bfloat16).T),
        "padded": (make.padded(a, padding=12), make.padded(b, padding=7)),
        "every second": (a[:, ::2], b[::2, ::2]),
        "parts": (b[3:50, 5:57:2], b.T[4:30, 1:40]),
    }
    compare(submission, expect, reference, *views[layout])


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ("whole numbers", torch.bfloat16),
        ("many sizes", torch.float16),
        ("cancelling", torch.float16),
        ("cancelling", torch.bfloat16),
        ("beyond float16", torch.float16),
        ("positive", torch.float16),
    ],
    ids=lambda value: str(value).removeprefix("torch."),
)
def test_values(submission, make, expect, reference, values, dtype):
    """whole numbers, whose sums are exact; values of many sizes; sums that cancel, also beyond 65504; sums that grow"""
    M, N, half = 40, 50, 75
    K = 2 * half + 1
    if values == "whole numbers":
        a, b = (make.integers(*shape, low=-1, high=2, dtype=dtype) for shape in [(M, K), (K, N)])
        return compare(submission, expect, reference, a, b, EXACT)
    a, b = make.randn(M, K, dtype=dtype), make.randn(K, N, dtype=dtype)
    a_half, b_half = a[:, :half], b[:half]
    pairs = {
        "many sizes": (a * torch.logspace(-1, 1, M)[:, None].to(dtype), b * torch.logspace(1, -1, N).to(dtype)),
        "cancelling": (torch.cat([a_half, -a_half, a[:, -1:]], dim=1), torch.cat([b_half, b_half, b[-1:] / 64])),
        "beyond float16": (
            torch.cat([a_half.abs() * 64, -a_half.abs() * 64, a[:, -1:] * 64], dim=1),
            torch.cat([b_half.abs() * 64, b_half.abs() * 64, b[-1:]]),
        ),
        "positive": (a.abs(), b.abs()),
    }
    return compare(submission, expect, reference, *pairs[values])
