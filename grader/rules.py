"""The rules of an exercise that asks for a kernel of one's own: pure functions from counts to a finding.

Torch's part is memory: allocate, view, copy. The arithmetic belongs into the kernel. What was counted decides, never
the text of the file: whoever names an operation and does not call it is not accused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.exercise import Exercise
from grader.records import PASSED, Finding, Setting
from grader.status import Status

MEMORY = frozenset(
    (
        *("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_"),
        *("zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full", "full_like", "new_full"),
        *("zero_", "fill_", "scalar_tensor", "arange", "lift_fresh", "lift_fresh_copy", "record_stream", "set_"),
        *("view", "_unsafe_view", "reshape", "_reshape_alias", "as_strided", "expand", "permute", "transpose", "t"),
        *("numpy_T", "unsqueeze", "squeeze", "select", "slice", "narrow", "split", "split_with_sizes", "unbind"),
        *("detach", "alias", "diagonal", "unfold", "movedim", "flatten", "_conj", "view_as"),
        *("clone", "copy_", "_to_copy", "contiguous", "cat", "stack", "constant_pad_nd", "_local_scalar_dense"),
        *("flip", "roll", "repeat", "pin_memory", "_pin_memory", "is_pinned", "item", "to"),
    )
)
"""Operations of torch (without overload) that allocate, view or copy: everybody may use them."""


UNKNOWN = "an operation without a name"
_NAME = re.compile(r"_?[a-z][a-z_]{0,40}[0-9]?[dD]?_?")  # `mul`, `_softmax`, `conv2d`: no room for numbers


@dataclass(frozen=True)
class Called:
    """What one call of an entry point did, counted in the worker."""

    operations: tuple[tuple[str, int, int], ...]  # (name, line of the student's file or 0, at least how often)
    launches: int | None  # of kernels; None where nobody counts them

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]], launches: int | None) -> Called:
        """What a worker's reply says: a name that a submission has invented could spell a hidden input."""
        known = [(str(name) if _NAME.fullmatch(str(name)) else UNKNOWN, int(line), 1) for name, line, _ in rows]
        return cls(tuple(known), launches)


def broken(exercise: Exercise, calls: Iterable[Called], source: str) -> Finding | None:
    """The rule that a submission with right values breaks, if it breaks one."""
    if not exercise.own_kernel:
        return None
    allowed = MEMORY | set(exercise.may_call)
    seen = list(calls)
    found = [row for called in seen for row in called.operations if row[0] not in allowed]
    if found:
        return _computes_in_torch(exercise, found, source)
    if any(called.launches == 0 for called in seen):
        return Finding(
            Status.FORBIDDEN,
            "no kernel was launched",
            diagnosis="The values are right, but they do not come from a kernel: launch yours on the tensors' memory.",
        )
    return None


def applied(exercise: Exercise, settings: Sequence[Setting]) -> list[Setting]:
    """The settings of a run: where one breaks a rule, what needs no work (zeros, an empty tensor) earns nothing."""
    broken_in = next((s.name for s in settings if s.finding.status is Status.FORBIDDEN), "")
    if not exercise.own_kernel or not broken_in:
        return list(settings)
    finding = Finding(Status.NOT_RUN, f"not counted: a rule of this exercise is broken in {broken_in}")
    return [replace(s, finding=finding) if s.finding is PASSED else s for s in settings]


def decoy() -> Finding:
    """The result stays the same when no kernel runs."""
    return Finding(
        Status.FORBIDDEN,
        "the result is the same when no kernel runs",
        diagnosis="A kernel is launched, but what it computes is not what is returned.",
    )


def _computes_in_torch(exercise: Exercise, found: list[tuple[str, int, int]], source: str) -> Finding:
    names = list(dict.fromkeys(name for name, _, _ in found))
    places = list(dict.fromkeys(line for _, line, _ in found if line))
    return Finding(
        Status.FORBIDDEN,
        f"computes with torch: {', '.join(names[:5])}",
        diagnosis="Here torch may allocate, view and copy memory; the arithmetic belongs into your kernel.",
        lines=tuple(place(exercise.file, source, line) for line in places[:5]),
    )


def place(file: str, source: str, line: int) -> str:
    """A line of the submission, with where it stands."""
    rows = source.splitlines()
    return f"{file}:{line}: {rows[line - 1].strip() if 0 < line <= len(rows) else ''}"
