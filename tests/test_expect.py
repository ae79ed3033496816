"""Comparisons and the pattern they name."""

from __future__ import annotations

import pytest
import torch

from grader.status import Status
from grader.testing.diagnosis import Comparison, diagnose
from grader.testing.expect import compare
from shared.tolerance import EXACT, Tolerance, in_lower_precision

NEAR = Tolerance(rtol=1e-5, atol=1e-6)


def random(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


@pytest.mark.parametrize(
    ("out", "status"),
    [
        (torch.ones(3), None),
        (torch.ones(4), Status.WRONG_SHAPE),
        (torch.ones(3, 1), Status.WRONG_SHAPE),
        (torch.ones(3).double(), Status.WRONG_DTYPE),
        (torch.tensor([1.0, 1.0, 1.1]), Status.INCORRECT),
        (torch.tensor([1.0, 1.0, float("nan")]), Status.INCORRECT),
        (torch.tensor([1.0, 1.0, float("inf")]), Status.INCORRECT),
        (torch.tensor([1.0, 1.0, 1.000001]), None),
    ],
)
def test_the_first_check_that_fails_names_itself(out: torch.Tensor, status: Status | None) -> None:
    finding = compare(out, torch.ones(3).double(), torch.float32, NEAR)
    assert (finding and finding.status) == status


def test_shape_comes_before_dtype_and_dtype_before_values() -> None:
    assert compare(torch.zeros(2).double(), torch.ones(3), torch.float32, EXACT).status is Status.WRONG_SHAPE  # type: ignore[union-attr]
    assert compare(torch.zeros(3).double(), torch.ones(3), torch.float32, EXACT).status is Status.WRONG_DTYPE  # type: ignore[union-attr]


def test_infinities_must_be_the_same_and_nan_equals_nothing() -> None:
    ref = torch.tensor([float("inf"), float("-inf"), 0.0], dtype=torch.float64)
    assert compare(ref.float(), ref, torch.float32, EXACT) is None
    assert compare(-ref.float(), ref, torch.float32, NEAR) is not None
    nan = torch.full((3,), float("nan"), dtype=torch.float64)
    assert compare(nan.float(), nan, torch.float32, NEAR) is not None


def test_empty_tensors_are_equal() -> None:
    assert compare(torch.empty(0), torch.empty(0).double(), torch.float32, EXACT) is None


def test_details_name_count_index_and_both_values() -> None:
    ref = torch.arange(6.0).reshape(2, 3).double()
    out = ref.float().clone()
    out[1, 2] = 9
    finding = compare(out, ref, torch.float32, NEAR)
    assert finding is not None
    for word in ("1 of 6", "[1, 2]", "found 9", "expected 5", "worst error 4"):
        assert word in finding.details


def test_a_summary_and_a_pattern_hold_no_value() -> None:
    ref = random(5, 7)
    out = (ref * 1.5).float()
    finding = compare(out, ref, torch.float32, NEAR)
    assert finding is not None
    assert "found" in finding.details
    assert "found" not in finding.summary + finding.diagnosis


def edit(ref: torch.Tensor, index: object, value: float) -> torch.Tensor:
    out = ref.clone()
    out[index] = value  # type: ignore[index]
    return out


REF = random(8, 40)
X = random(8, 40)


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (torch.full_like(REF, float("nan")), "every element is NaN"),
        (edit(REF, (slice(None), slice(32, None)), float("nan")), "the last 8 columns of 40 are NaN (never written"),
        (edit(REF, (3, slice(None)), float("nan")), "are NaN: an overflow"),
        (torch.zeros_like(REF), "every element is 0"),
        (X, "equals the input"),
        (REF * 2, "every element is 2 times"),
        (
            edit(REF, (slice(None), slice(32, None)), 0.5),
            "only the last 8 columns of 40 are wrong, from a multiple of 32",
        ),
        (edit(REF, (slice(0, 1), slice(None)), 0.5), "only the first row of 8 is wrong"),
        (edit(REF, (slice(1, None), slice(None)), 0.5), "the first row is right and every later one wrong"),
        (
            edit(edit(REF, (slice(6, None), slice(None)), 0.5), (slice(None), slice(35, None)), 0.5),
            "only the last 2 rows and the last 5 columns are wrong",
        ),
        (REF * 1.005, "nearly right"),
        (REF * torch.arange(1, 9)[:, None], "right up to a factor of its own"),
        (edit(REF, (slice(None, None, 3), slice(None, None, 7)), 0.5), "scattered"),
        (REF + random(8, 40)[:, torch.arange(39, -1, -1)].abs() + 1, "every element is wrong"),
    ],
)
def test_the_pattern_is_named(out: torch.Tensor, words: str) -> None:
    wrong = ~((out - REF).abs() <= 1e-9)
    assert words in diagnose(Comparison(out, REF, wrong, (X,)))


def test_a_transposed_result_is_named() -> None:
    ref = random(6, 6)
    out = ref.T.contiguous()
    assert "transpose" in diagnose(Comparison(out, ref, (out - ref).abs() > 1e-9))


def test_a_vector_with_a_missing_end_is_named() -> None:
    ref = random(1000)
    out = edit(ref, slice(896, None), float("nan"))
    seen = Comparison(out, ref, ~((out - ref).abs() <= 0))
    assert diagnose(seen).startswith("the last 104 elements of 1000 are NaN (never written")


@pytest.mark.parametrize(("dtype", "error"), [(torch.float32, 2**-12), (torch.float16, 2**-9), (torch.bfloat16, 2**-5)])
def test_the_next_lower_precision_is_lower(dtype: torch.dtype, error: float) -> None:
    values = random(1000)
    relative = ((in_lower_precision(values, dtype) - values) / values).abs().max()
    assert relative > error
    assert in_lower_precision(torch.ones(3).double(), dtype).equal(torch.ones(3).double())
