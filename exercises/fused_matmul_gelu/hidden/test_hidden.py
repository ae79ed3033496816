"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import math

import pytest
import torch


def compare(submission, expect, reference, a, b):
    expect(
        submission.fused_matmul_gelu(a, b),
        reference.reference(a, b),
        dtype=a.dtype,
        tolerance=reference.tolerance(a, b),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize(("M", "N", "K"), [(1, 1, 1), (1, 200, 17), (130, 1, 33), (129, 257, 40), (1100, 70, 10)])
def test_sizes(submission, make, expect, reference, M, N, K):
    """no size a multiple of the tile, wide and tall matrices, sizes of 1, K of 1, many tiles"""
    dtype = torch.float16 if M > 100 else torch.bfloat16
    a = make.randn(M, K, dtype=dtype, scale=2 / math.sqrt(K))
    compare(submission, expect, reference, a, make.randn(K, N, dtype=dtype))


@pytest.mark.points(2)
@pytest.mark.parametrize("layout", ["A transposed", "B transposed", "padded", "every second"])
def test_layouts(submission, make, expect, reference, layout):
    """views of A and B: transposes, padding between rows, every second row or column"""
    M, N, K = 45, 70, 52
    a, b = make.randn(M, K, dtype=torch.bfloat16, scale=0.3), make.randn(K, N, dtype=torch.bfloat16)
    views = {
        "A transposed": (make.randn(K, M, dtype=torch.bfloat16, scale=0.3).T, b),
        "B transposed": (a, make.randn(N, K, dtype=torch.bfloat16).T),
        "padded": (make.padded(a, padding=12), make.padded(b, padding=7)),
        "every second": (a[:, ::2], b[::2, ::2]),
    }
    compare(submission, expect, reference, *views[layout])


@pytest.mark.points(2)
@pytest.mark.parametrize(("K", "dtype"), [(200, torch.float16), (301, torch.bfloat16)], ids=["K=200", "K=301"])
def test_long_sums(submission, make, expect, reference, K, dtype):
    """a K of several tiles, with partial sums that are far from the whole one and cancel"""
    half = K // 2
    a, b = make.randn(40, half, dtype=dtype), make.randn(half, 50, dtype=dtype)
    rest_a, rest_b = make.randn(40, K - 2 * half + 4, dtype=dtype), make.randn(K - 2 * half + 4, 50, dtype=dtype)
    compare(submission, expect, reference, torch.cat([a, rest_a, -a], dim=1), torch.cat([b, rest_b, b]))


@pytest.mark.points(2)
@pytest.mark.parametrize("values", ["the tail", "around zero", "very large", "very negative", "both"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def test_values(submission, make, expect, reference, values, dtype):
    """products between -5 and -1, around zero, and so large that exponentials overflow"""
    K = 8
    a, b = make.uniform(40, K, low=0.5, high=1.5, dtype=dtype), make.uniform(K, 50, low=0.5, high=1.5, dtype=dtype)
    pairs = {
        "the tail": (a, -b * 0.375),
        "around zero": (make.randn(40, K, dtype=dtype, scale=0.01), b),
        "very large": (a * 16, b * 16),
        "very negative": (a * 16, -b * 16),
        "both": (make.randn(40, K, dtype=dtype, scale=4.0), b),
    }
    compare(submission, expect, reference, *pairs[values])
