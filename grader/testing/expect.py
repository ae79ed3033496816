"""`expect`: the only way a test compares. A mismatch is a typed record with a pattern, never an AssertionError.

The order of the checks: type, shape, dtype, finiteness, tolerance; the first that fails names itself. An element passes
if |out - ref| <= atol + rtol * |ref|, so a NaN never does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from grader.boundary.lending import name_of
from grader.boundary.proxy import SubmissionProxy
from grader.boundary.replies import Raised
from grader.boundary.results import Odd
from grader.records import Failure, Finding
from grader.status import Status
from grader.testing.diagnosis import Comparison, diagnose
from grader.testing.inputs import given
from shared.tolerance import Tolerance


@dataclass(frozen=True)
class Compared:
    """One comparison that passed, for whoever checks the tests themselves."""

    test: str  # name of the test function
    out: torch.Tensor
    ref: torch.Tensor
    dtype: torch.dtype
    tolerance: Tolerance
    inputs: tuple[Any, ...]  # as reference.py gets them


Observer = Callable[[Compared], None]


class Expect:
    """Compares results of one setting."""

    def __init__(self, submission: SubmissionProxy, test: str, observer: Observer | None = None) -> None:
        """`observer` is told of each comparison that passed."""
        self._submission = submission
        self._test = test
        self._observer = observer

    def __call__(self, out: Any, ref: torch.Tensor, *, dtype: torch.dtype, tolerance: Tolerance) -> None:
        """`out` must be a tensor of `ref`'s shape and of `dtype`, within `tolerance` of `ref`."""
        tensor = as_tensor(out)
        arguments = self._submission.last_inputs
        inputs = given(arguments, [p for p, v in enumerate(arguments) if v is out])
        tensors = tuple(v for v in inputs if isinstance(v, torch.Tensor))
        finding = compare(tensor, ref, dtype, tolerance, tensors)
        if finding is not None:
            raise Failure(finding)
        if self._observer is not None:
            self._observer(Compared(self._test, tensor, ref, dtype, tolerance, inputs))

    def that(self, ok: bool, *, found: str, expected: str, hint: str = "") -> None:
        """A condition that is no comparison of tensors; `found` may hold values, `expected` and `hint` may not."""
        if not ok:
            finding = Finding(Status.INCORRECT, f"expected {expected}", details=f"found {found}", diagnosis=hint)
            raise Failure(finding)


def expect_error(call: Callable[[], Any], match: str) -> None:
    """The call must raise, with text that matches the pattern; anything else is the student's failure."""
    try:
        value = call()
    except Raised as error:
        if not re.search(match, error.message):
            _unexpected(f"raised {error.type_name} with another text", error.message)
        return
    _unexpected("raised nothing", f"returned {type(value).__name__}")


def _unexpected(summary: str, details: str) -> NoReturn:
    raise Failure(Finding(Status.INCORRECT, f"{summary}; an error was expected", details=details))


def as_tensor(out: Any) -> torch.Tensor:
    """The result as a tensor, or the failure that says what it is instead."""
    if isinstance(out, torch.Tensor):
        return out
    if isinstance(out, Odd):
        raise out.failure()
    raise Odd(f"a {type(out).__name__}").failure()


def compare(
    out: torch.Tensor,
    ref: torch.Tensor,
    dtype: torch.dtype,
    tolerance: Tolerance,
    inputs: tuple[torch.Tensor, ...] = (),
) -> Finding | None:
    """The first finding, or None when everything is as it should be."""
    if out.shape != ref.shape:
        found, expected = tuple(out.shape), tuple(ref.shape)
        return Finding(
            Status.WRONG_SHAPE,
            "returned a tensor of another shape",
            details=f"found {found}, expected {expected}",
            diagnosis=_shape_hint(found, expected),
        )
    if out.dtype != dtype:
        found_name, expected_name = name_of(out.dtype), name_of(dtype)
        return Finding(Status.WRONG_DTYPE, f"returned {found_name}, expected {expected_name}")
    wide, exact = out.to(torch.float64), ref.to(torch.float64)
    passes = passing(wide, exact, tolerance)
    if passes.all():
        return None
    seen = Comparison(wide, exact, ~passes, inputs)
    return Finding(Status.INCORRECT, "wrong values", details=_details(seen, tolerance), diagnosis=diagnose(seen))


def passing(out: torch.Tensor, ref: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """Which elements (float64) are near enough; equal infinities are equal, NaN equals nothing."""
    near = (out - ref).abs() <= tolerance.atol + tolerance.rtol * ref.abs()
    return (near & torch.isfinite(ref)) | (out == ref)


def _shape_hint(found: tuple[int, ...], expected: tuple[int, ...]) -> str:
    if len(found) != len(expected):
        return f"a tensor of {len(found)} dimensions instead of {len(expected)}"
    if found == expected[::-1]:
        return "the dimensions are in the opposite order"
    return ""


def _details(seen: Comparison, tolerance: Tolerance) -> str:
    """Count, worst error, first wrong index and both values."""
    error = (seen.out - seen.ref).abs().nan_to_num(nan=float("inf"))
    index = tuple(int(i) for i in seen.wrong.nonzero()[0])
    count, worst = int(seen.wrong.sum()), float(error.max())
    where = ", ".join(map(str, index))
    return (
        f"{count:,} of {seen.wrong.numel():,} elements; first at [{where}]: "
        f"found {float(seen.out[index]):.7g}, expected {float(seen.ref[index]):.7g}; "
        f"worst error {worst:.3g}, allowed {_allowed(seen, tolerance, index):.3g} there"
    )


def _allowed(seen: Comparison, tolerance: Tolerance, index: tuple[int, ...]) -> float:
    bound = tolerance.atol + tolerance.rtol * seen.ref.abs()
    return float(bound[index])
