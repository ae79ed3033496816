"""The cases a student sees."""

import pytest
import torch


def compare(submission, expect, reference, x, packed, scales):
    expect(
        submission.dequant_matmul(x, packed, scales),
        reference.reference(x, packed, scales),
        dtype=x.dtype,
        tolerance=reference.tolerance(x, packed, scales),
    )


@pytest.mark.points(2)
def test_one_group(submission, expect, reference):
    """one group, and weights that can be read off: W[k, n] is 1 at k = n, and the scale of column n is n + 1"""
    identity = torch.zeros(32, 128, dtype=torch.int8)
    identity[torch.arange(32), torch.arange(32)] = 1
    packed = (identity[:, :64] & 15) | (identity[:, 64:] << 4)
    x = torch.arange(1, 16 * 128 + 1).reshape(16, 128).to(torch.float16)
    scales = torch.arange(1, 33)[None, :].to(torch.float16) / 64
    compare(submission, expect, reference, x, packed, scales)


@pytest.mark.points(2)
@pytest.mark.parametrize("num_groups", [1, 4], ids=lambda n: f"K={128 * n}")
def test_small(submission, make, expect, reference, num_groups):
    """weights of every value, one group and several"""
    compare(submission, expect, reference, *reference.make_inputs(make, M=16, N=64, K=128 * num_groups))
