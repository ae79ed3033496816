"""The pattern of what is wrong: what a mask of wrong elements has in common, in one sentence and without values.

Each rule looks at one kind of mistake and says nothing when it does not fit; the most specific comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Comparison:
    """A result beside its reference (both float64) and where they differ; never empty."""

    out: torch.Tensor
    ref: torch.Tensor
    wrong: torch.Tensor  # bool, same shape
    inputs: tuple[torch.Tensor, ...] = ()


def diagnose(seen: Comparison) -> str:
    """The first rule that fits, or the share of wrong elements."""
    for rule in RULES:
        sentence = rule(seen)
        if sentence:
            return sentence
    return _share(seen)


def _never_written(seen: Comparison) -> str:
    missing = torch.isnan(seen.out) & ~torch.isnan(seen.ref)
    if not missing.any() or missing.all():
        return ""
    where = _region(missing)
    if where and torch.equal(missing, seen.wrong):
        hint = ": does the last block cover it?" if "last" in where else ": what leaves just this part out?"
        return (
            f"{where} {_is(where)} NaN (never written, or read from memory around the input), the rest is right{hint}"
        )
    return ""


def _all_nan(seen: Comparison) -> str:
    if not torch.isnan(seen.out).all():
        return ""
    return "every element is NaN: nothing was written, or an infinity was divided by an infinity"


def _some_nan(seen: Comparison) -> str:
    nan = torch.isnan(seen.out) & ~torch.isnan(seen.ref)
    if not nan.any():
        return ""
    where = _region(nan) or f"{_percent(nan)} of the elements"
    return f"{where} {_is(where)} NaN: an overflow (exp of a large number, inf/inf), or values never written"


def _all_zero(seen: Comparison) -> str:
    return "every element is 0" if not seen.out.any() and bool(seen.ref.any()) else ""


def _is_input(seen: Comparison) -> str:
    for value in seen.inputs:
        if value.shape == seen.out.shape and torch.equal(value.to(torch.float64), seen.out):
            return "the result equals the input: was anything computed?"
    return ""


def _transposed(seen: Comparison) -> str:
    if seen.out.dim() != 2 or seen.out.numel() < 4 or not _close(seen.out.T, seen.ref):
        return ""
    return "the result is the transpose of the right one: rows and columns are exchanged"


def _factor(seen: Comparison) -> str:
    """One constant factor everywhere (needs some variety in the reference)."""
    usable = seen.ref.abs() > 1e-6 * seen.ref.abs().max()
    if usable.sum() < 3 or not torch.isfinite(seen.out).all():
        return ""
    ratio = seen.out[usable] / seen.ref[usable]
    middle = ratio.median()
    if abs(float(middle)) < 1e-3 or (ratio - middle).abs().max() > 1e-3 * middle.abs():
        return ""
    if abs(float(middle) - 1) < 0.02:
        return "every element is nearly right: lower precision, or another formula"
    for number in range(2, 65):
        for text, value in ((f"{number}", number), (f"1/{number}", 1 / number), (f"-{number}", -number)):
            if abs(float(middle) / value - 1) < 1e-3:
                return f"every element is {text} times the right one"
    return "every element is the right one times one and the same factor"


def _rows_sums(seen: Comparison) -> str:
    """Rows that are right up to a factor of their own: a normaliser over the wrong range."""
    if seen.out.dim() != 2 or seen.out.shape[1] < 3 or not torch.isfinite(seen.out).all():
        return ""
    ratio = seen.out.sum(1) / seen.ref.sum(1)
    scaled = seen.ref * ratio[:, None]
    if not torch.isfinite(ratio).all() or not _close(seen.out, scaled):
        return ""
    return "each row is right up to a factor of its own: its sum runs over too many or too few elements"


def _where(seen: Comparison) -> str:
    region = _region(seen.wrong)
    if not region or seen.wrong.all():
        return ""
    return f"only {region} {_is(region)} wrong{_boundary(seen.wrong)}"


def _first_row_right(seen: Comparison) -> str:
    if seen.wrong.dim() != 2 or seen.wrong.shape[0] < 2 or seen.wrong[0].any():
        return ""
    if not seen.wrong[1:].any(1).all():
        return ""
    return "the first row is right and every later one wrong: the step from row to row (the stride)"


RULES: tuple[Callable[[Comparison], str], ...] = (
    _all_nan,
    _all_zero,
    _is_input,
    _transposed,
    _factor,
    _rows_sums,
    _first_row_right,
    _never_written,
    _some_nan,
    _where,
)


def _share(seen: Comparison) -> str:
    if seen.wrong.all():
        return "every element is wrong"
    return f"{_percent(seen.wrong)} of the elements are wrong, scattered"


def _percent(mask: torch.Tensor) -> str:
    share = float(mask.sum()) / mask.numel() * 100
    return f"{share:.1f} %" if share >= 0.1 else "less than 0.1 %"


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-3, atol=1e-3 * float(b.abs().max()))


def _region(mask: torch.Tensor) -> str:
    """`the last 23 columns` and the like, when the mask is exactly that; empty otherwise."""
    if mask.dim() == 1:
        return _run(mask, "element")
    if mask.dim() != 2:
        return ""
    for axis, noun in ((0, "column"), (1, "row")):
        touched = mask.any(axis)
        full = mask.all(axis)
        if torch.equal(touched, full) and not touched.all():
            return _run(touched, noun)
    return _edge(mask)


def _edge(mask: torch.Tensor) -> str:
    """The last rows together with the last columns: what a grid that is too small leaves out."""
    rows, cols = int((~mask).any(1).sum()), int((~mask).any(0).sum())
    inside = torch.zeros_like(mask)
    inside[:rows, :cols] = True
    if not torch.equal(mask, ~inside):
        return ""
    return f"the last {mask.shape[0] - rows} rows and the last {mask.shape[1] - cols} columns"


def _is(subject: str) -> str:
    """The verb that goes with `the last row` or `the last 3 rows`."""
    return "are" if any(character.isdigit() for character in subject.partition(" of ")[0]) else "is"


def _run(line: torch.Tensor, noun: str) -> str:
    """A run at one end of a line."""
    size, count = line.numel(), int(line.sum())
    if count in (0, size):
        return ""
    plural = noun if count == 1 else f"{count} {noun}s"
    if line[-count:].all():
        return f"the last {plural} of {size}"
    if line[:count].all():
        return f"the first {plural} of {size}"
    return ""


def _boundary(mask: torch.Tensor) -> str:
    """A hint when the wrong part begins at a multiple of a usual block size."""
    line = mask if mask.dim() == 1 else (mask.all(0) if mask.all(0).any() else mask.all(1))
    if not line.any():
        return ""
    start = int(line.to(torch.int8).argmax())
    for block in (1024, 512, 256, 128, 64, 32, 16):
        if start and start % block == 0:
            return f", from a multiple of {block} on: the block at the edge"
    return ""
