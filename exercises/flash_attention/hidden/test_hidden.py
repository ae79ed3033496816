"""The cases that only staff have. A student sees their titles and the pattern of a failure, no values."""

import pytest
import torch


def compare(submission, expect, reference, *inputs):
    expect(
        submission.flash_attention(*inputs),
        reference.reference(*inputs),
        dtype=inputs[0].dtype,
        tolerance=reference.tolerance(*inputs),
    )


@pytest.mark.points(2)
@pytest.mark.parametrize(("length", "causal"), [(1, True), (65, True), (130, False)])
def test_lengths(submission, make, expect, reference, length, causal):
    """lengths that are no multiple of a tile, one of them 1, with and without the causal mask"""
    compare(submission, expect, reference, *reference.make_inputs(make, 1, 1, length, 64, causal))


@pytest.mark.points(2)
@pytest.mark.parametrize(("q_len", "k_len"), [(1, 100), (70, 33)])
def test_cross_lengths(submission, make, expect, reference, q_len, k_len):
    """other numbers of keys than of queries"""
    compare(submission, expect, reference, *reference.make_inputs(make, 2, 1, q_len, 64, k_len=k_len))


@pytest.mark.points(2)
@pytest.mark.parametrize(("head_dim", "dtype"), [(64, "bfloat16"), (128, "float16")])
def test_dtypes(submission, make, expect, reference, head_dim, dtype):
    """both dtypes and both sizes of a head, with float32 inside"""
    compare(submission, expect, reference, *reference.make_inputs(make, 1, 1, 90, head_dim, True, dtype=dtype))


@pytest.mark.points(2)
@pytest.mark.parametrize("layout", ["heads inside", "keys and values in one tensor", "every second row"])
def test_layouts(submission, make, expect, reference, layout):
    """views: (batch, length, heads, head_dim), keys and values in one tensor, every second row"""
    if layout == "heads inside":
        q, k, v = (make.randn(1, 50, 2, 64, dtype=torch.float16).transpose(1, 2) for _ in range(3))
    elif layout == "every second row":
        q, k, v = (make.randn(2, 2, n, 64, dtype=torch.float16)[:, :, ::2] for n in (60, 90, 90))
    else:
        q = make.randn(1, 2, 50, 64, dtype=torch.float16)
        k, v = make.randn(1, 70, 2, 128, dtype=torch.float16).transpose(1, 2).split(64, dim=-1)
    compare(submission, expect, reference, q, k, v, q.shape == k.shape)


@pytest.mark.points(2)
@pytest.mark.parametrize("values", ["rising", "falling", "sharp", "very negative", "large sums"])
def test_extreme_values(submission, make, expect, reference, values):
    """scores that rise or fall from tile to tile, sharp and very negative ones, sums beyond half precision"""
    q, k, v, causal = reference.make_inputs(make, 1, 1, 150, 64, causal=values in ("falling", "sharp"))
    ramp = torch.linspace(0.0, 1.0, 150)[:, None]
    if values in ("rising", "falling"):
        q, k = q.abs(), k.abs() * (3 * (ramp if values == "rising" else 1 - ramp)).to(k.dtype)
    if values == "sharp":
        q = q * 8
    if values == "very negative":
        q, k = q.abs() * 12, k.abs() * -12
    if values == "large sums":
        k, v = torch.ones_like(k), v * 8 + 1000
    compare(submission, expect, reference, q, k, v, causal)
