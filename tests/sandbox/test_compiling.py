"""A GPU's compiler works in every level: it starts processes, and keeps files of the sandbox's own."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.boundary.compiling import by_nvcc, compiled
from grader.boundary.sandbox import Level
from grader.boundary.workers import Workers
from grader.loading import load

TESTS = Path(__file__).parent.parent


def test_kernels_are_compiled_inside(level: Level) -> None:
    text = (TESTS / "golden/quadruple/correct/quadruple.py").read_text(encoding="utf-8")
    with Workers(level=level) as workers:
        found = compiled(load(TESTS / "content/exercises/quadruple"), text, (torch.ones(1024),), workers)
    assert [kernel.name for kernel in found.kernels] == ["kernel"]
    assert (found.refusal, found.problem) == (None, "")


@pytest.mark.nvcc
def test_a_cuda_file_is_compiled_inside(level: Level) -> None:
    text = (TESTS / "golden/double_cuda/correct/double.cu").read_text(encoding="utf-8")
    with Workers(level=level) as workers:
        found = by_nvcc(load(TESTS / "content/exercises/double_cuda"), text, workers)
    assert [kernel.name for kernel in found.kernels] == ["twice_kernel"]
    assert (found.refusal, found.problem) == (None, "")
