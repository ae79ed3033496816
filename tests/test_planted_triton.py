"""Planted bugs in Triton kernels are found with their kind and line; kernels that are right pass (`tests/planted`).

All files run in one process, each in a fork of it, because TRITON_INTERPRET is read at import. OTHER_TRITON names
folders with another Triton, as in `test_triton_checks`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLANTED = Path(__file__).with_name("planted")
BUGS = sorted((PLANTED / "triton").glob("*.py"))
RIGHT = sorted((PLANTED / "triton_correct").glob("*.py"))
KINDS = {"memory", "padding", "race", "uninitialised", "incorrect"}

RUNNER = """
import json, os, runpy, sys, traceback
import torch
from shared import triton_checks, triton_interpreter, triton_unwritten
triton_interpreter.correct()
triton_interpreter.warm_up()
torch.use_deterministic_algorithms(True)  # new tensors hold NaN: what nobody computes is wrong

def run(path):
    torch.manual_seed(0)
    module = runpy.run_path(path)
    try:
        with triton_unwritten.following():
            got, expected = module["run"]()
    except triton_checks.KernelFault as fault:
        return [fault.kind, str(fault)]
    except BaseException:
        return ["error", traceback.format_exc()]
    if triton_checks.current().fault is not None:
        return ["caught", str(triton_checks.current().fault)]
    near = 1e-4 if got.dtype.itemsize > 2 else 1e-2
    right = got.shape == expected.shape and torch.allclose(got.double(), expected.double(), rtol=near, atol=near)
    return ["right", ""] if right else ["incorrect", ""]

folder, *paths = sys.argv[1:]
for number, path in enumerate(paths):
    if os.fork() == 0:
        with open(f"{folder}/{number}.json", "w") as file:
            json.dump(run(path), file)
        os._exit(0)
    os.wait()
"""

Outcome = Callable[[Path], list[str]]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("outcomes")
    paths = [*BUGS, *RIGHT]
    path = os.pathsep.join([*filter(None, [os.environ.get("OTHER_TRITON")]), str(ROOT)])
    env = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": path}
    subprocess.run([sys.executable, "-c", RUNNER, str(folder), *map(str, paths)], check=True, env=env)

    def found(path: Path) -> list[str]:
        result: list[str] = json.loads((folder / f"{paths.index(path)}.json").read_text())
        return result

    return found


def header(path: Path) -> tuple[str, int]:
    """The kind that the file expects, and the line that is marked."""
    rows = path.read_text(encoding="utf-8").splitlines()
    kinds = [row.split('"')[1] for row in rows if row.startswith("EXPECTED = ")]
    lines = [number for number, row in enumerate(rows, start=1) if row.endswith("# BUG")]
    assert len(kinds) == len(lines) == 1, path
    return kinds[0], lines[0]


@pytest.mark.parametrize("path", BUGS, ids=lambda path: path.stem)
def test_a_planted_bug_is_found(outcome: Outcome, path: Path) -> None:
    kind, line = header(path)
    assert kind in KINDS
    found, said = outcome(path)
    if "have been removed" in said:
        pytest.skip("this Triton has no block pointers")
    assert found == kind, said
    if kind != "incorrect":  # a comparison of values knows no line
        assert said.startswith(f"line {line}: "), said


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_right_kernel_passes(outcome: Outcome, path: Path) -> None:
    found, said = outcome(path)
    if "have been removed" in said:
        pytest.skip("this Triton has no block pointers")
    assert (found, said) == ("right", "")


def test_there_are_bugs_of_each_kind() -> None:
    kinds = [header(path)[0] for path in BUGS]
    assert set(kinds) == KINDS
    assert len(kinds) >= 28
    assert len(RIGHT) >= 15
