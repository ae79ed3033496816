"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch

from shared.tolerance import EXACT


def compare(submission, expect, reference, a, b, c, tolerance=None):
    (M, K), N = a.shape, b.shape[1]
    submission.matmul(a, b, c, M, N, K)
    tolerance = tolerance or reference.tolerance(a, b)
    expect(c, reference.reference(a, b), dtype=torch.float32, tolerance=tolerance)


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("M", "N", "K"), [(31, 33, 32), (33, 65, 7), (17, 100, 31), (100, 3, 97), (65, 66, 67), (16, 48, 100)]
)
def test_sizes(submission, make, expect, reference, M, N, K):
    """no size a multiple of the tile, wide and tall matrices, a K shorter than a tile"""
    compare(submission, expect, reference, make.randn(M, K), make.randn(K, N), make.unwritten(M, N))


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("M", "N", "K"), [(20, 30, 0), (1, 1, 1), (1, 70, 40), (70, 1, 40), (50, 40, 1), (1, 1, 100), (0, 5, 3), (5, 0, 3)]
)
def test_zeros_and_ones(submission, make, expect, reference, M, N, K):
    """sizes of one, a K of 0 (C is all zeros), and a C without elements"""
    compare(submission, expect, reference, make.randn(M, K), make.randn(K, N), make.unwritten(M, N))


@pytest.mark.points(2)
@pytest.mark.parametrize("values", ["whole numbers", "scaled rows and columns", "cancelling", "positive"])
def test_values(submission, make, expect, reference, values):
    """whole numbers, whose sums are exact; values of many sizes; sums that cancel; sums that only grow"""
    M, N, half = 45, 50, 49
    K = 2 * half + 1
    a, b, c = make.randn(M, K), make.randn(K, N), make.unwritten(M, N)
    if values == "whole numbers":
        a, b = make.integers(M, K, low=-8, high=9), make.integers(K, N, low=-8, high=9)
        return compare(submission, expect, reference, a, b, c, EXACT)
    a_half, b_half = a[:, :half], b[:half]
    pairs = {
        "scaled rows and columns": (a * torch.logspace(-9, 9, M)[:, None], b * torch.logspace(9, -9, N)),
        "cancelling": (torch.cat([a_half, -a_half, a[:, -1:]], dim=1), torch.cat([b_half, b_half, b[-1:] / 1024])),
        "positive": (a.abs(), b.abs()),
    }
    return compare(submission, expect, reference, *pairs[values], c)


@pytest.mark.points(2)
@pytest.mark.parametrize(("M", "N", "K"), [(40, 21, 10), (33, 35, 64)])
def test_neighbours(submission, make, expect, reference, M, N, K):
    """part of a larger buffer: what lies before and behind C stays as it is"""
    buffer = torch.full((M * N + 6000,), 7.0)
    c = buffer[1000 : 1000 + M * N].view(M, N).fill_(float("nan"))
    compare(submission, expect, reference, make.randn(M, K), make.randn(K, N), c)
    before, behind = buffer[:1000], buffer[1000 + M * N :]
    changed = int((before != 7.0).sum()), int((behind != 7.0).sum())
    expect.that(
        changed == (0, 0),
        found=f"{changed[0]} elements changed before C, {changed[1]} behind it",
        expected="nothing to change outside of C",
        hint="Tiles at the edge reach beyond C; their threads there must not write.",
    )
