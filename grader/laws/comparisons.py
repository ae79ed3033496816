"""Laws over the comparisons that a correct solution went through.

For each test function: zeros, an input itself, NaN and uninitialised memory must fail at one setting at least; so
must the reference in the next lower precision, unless the comparison is exact. A correct variant must pass at every
setting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import ModuleType

import torch

from grader.exercise import Exercise
from grader.laws import Problem
from grader.testing.expect import Compared, compare
from shared.tolerance import in_lower_precision


def check_comparisons(exercise: Exercise, reference: ModuleType, seen: Sequence[Compared]) -> Iterator[Problem]:
    """All laws, over the comparisons of one run of the solution."""
    by_test: dict[str, list[Compared]] = defaultdict(list)
    for compared in seen:
        by_test[compared.test].append(compared)
    for test, group in by_test.items():
        where = f"{exercise.name}::{test}"
        for impostor in ("zeros", "NaN", "uninitialised memory", "its input", "the next lower precision"):
            answers = [_accepts(compared, impostor) for compared in group]
            tried = [answer for answer in answers if answer is not None]
            if tried and all(tried):
                yield Problem(where, f"{impostor} passes at every setting", "it to fail at one at least")
        yield from _references(where, reference, group)


def _accepts(compared: Compared, impostor: str) -> bool | None:
    """Whether an impostor passes the comparison; None where it cannot be made."""
    outs = _impostors(compared, impostor)
    if not outs:
        return None
    return any(compare(out, compared.ref, compared.dtype, compared.tolerance) is None for out in outs)


def _impostors(compared: Compared, impostor: str) -> list[torch.Tensor]:
    ref, dtype = compared.ref, compared.dtype
    if impostor == "zeros":
        return [torch.zeros(ref.shape, dtype=dtype)]
    if impostor == "NaN":
        return [torch.full(ref.shape, float("nan"), dtype=dtype)]
    if impostor == "uninitialised memory":
        return [_leftovers(ref.shape, dtype)]
    if impostor == "its input":
        return [v.to(dtype) for v in compared.inputs if isinstance(v, torch.Tensor) and v.shape == ref.shape]
    if _is_exact(compared):
        return []
    return [in_lower_precision(ref.to(torch.float64), dtype).to(dtype)]


def _leftovers(shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
    """What old memory may hold: bytes that follow no rule."""
    generator = torch.Generator().manual_seed(1)
    size = shape.numel() * dtype.itemsize
    raw = torch.randint(0, 256, (size,), generator=generator, dtype=torch.uint8)
    return raw.view(dtype).reshape(shape) if size else torch.empty(shape, dtype=dtype)


def _is_exact(compared: Compared) -> bool:
    absolute = torch.as_tensor(compared.tolerance.atol)
    return compared.tolerance.rtol == 0 and not absolute.any()


def _references(where: str, reference: ModuleType, group: list[Compared]) -> Iterator[Problem]:
    """The reference is the same again and holds no NaN; the independent variant passes."""
    for compared in group:
        if torch.isnan(compared.ref).any():
            yield Problem(where, "a reference with NaN", "numbers")
        inputs = compared.inputs
        if hasattr(reference, "reference") and not torch.equal(reference.reference(*inputs), compared.ref):
            yield Problem(where, "a reference that is another one the second time", "the same values")
        if hasattr(reference, "variant"):
            out = reference.variant(*inputs)
            finding = compare(out, compared.ref, compared.dtype, compared.tolerance)
            if finding is not None:
                text = f"a correct variant fails: {finding.summary} {finding.details}"
                yield Problem(where, text, "the tolerance to let it pass")
