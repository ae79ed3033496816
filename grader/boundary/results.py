"""What comes back from a call: claims about tensors, checked field by field, and what is no plain tensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from grader.boundary import lending
from grader.records import Failure, Finding
from grader.status import Status

MAX_DIMENSIONS = 64
"""Of one tensor that a call returns."""


@dataclass(frozen=True)
class Odd:
    """A result that is no plain tensor of this device; using it in a test is the student's failure."""

    found: str
    expected: str = "a torch.Tensor"

    def __getattr__(self, name: str) -> Any:
        """A test that reads an attribute of it fails with what was found."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.failure()

    def failure(self) -> Failure:
        """What to say of it."""
        hint = "Does every path of the function end with `return`?" if self.found == "None" else ""
        summary = f"returned {self.found}, expected {self.expected}"
        return Failure(Finding(Status.INCORRECT, summary, diagnosis=hint))


@dataclass(frozen=True)
class Slot:
    """The place of a tensor in a result, until its bytes are here."""

    index: int


def fill(value: Any, tensors: list[torch.Tensor]) -> Any:
    """The result with the tensors in their places."""
    if isinstance(value, Slot):
        return tensors[value.index]
    if isinstance(value, (list, tuple)):
        return type(value)(fill(item, tensors) for item in value)
    if isinstance(value, dict):
        return {key: fill(item, tensors) for key, item in value.items()}
    return value


def describe(value: Any) -> Any:
    """Results without tensors: None stands for itself, so that a test for tensors can say what came."""
    return Odd("None") if value is None else value


def checked_claim(claim: Any) -> dict[str, Any]:
    """A claim about a tensor with every field of the right kind; raise ValueError otherwise."""
    shape = claim["shape"]
    sizes = isinstance(shape, list) and all(type(n) is int and 0 <= n < 2**40 for n in shape)
    if sizes and not _is_possible(shape):
        raise Odd("a tensor of a shape that no memory can have").failure()
    if not sizes or type(claim["index"]) is not int or not isinstance(claim["device"], str):
        raise ValueError("a claim about a tensor that is none")
    if claim["dtype"] not in lending.DTYPES:
        raise Odd("a tensor of a dtype that no exercise asks for").failure()
    return dict(claim)


def _is_possible(shape: list[int]) -> bool:
    """Whether torch can make a tensor of this shape, also an empty one: sizes beside a zero count too."""
    return len(shape) <= MAX_DIMENSIONS and math.prod(max(n, 1) for n in shape) < 2**48


def device_name(claim: dict[str, Any]) -> str:
    """Where a claimed tensor lies; what the worker invents is not repeated."""
    return str(claim["device"]) if claim["device"] in ("cpu", "cuda", "meta") else "another device"


def varies(value: Any) -> bool:
    """Whether it is a tensor with two different values: zeros, or ones, may be had without a kernel."""
    return isinstance(value, torch.Tensor) and value.numel() > 1 and bool((value != value.reshape(-1)[0]).any())


def is_same(first: Any, second: Any) -> bool:
    """Whether two results are tensors with the same values, at least one of them."""
    if not isinstance(first, torch.Tensor) or not isinstance(second, torch.Tensor):
        return False
    return varies(first) and torch.equal(first, second)
