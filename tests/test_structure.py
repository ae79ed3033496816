"""The rules of the house, held over the text of the whole repository."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXERCISES = sorted(path.parent.name for path in (ROOT / "exercises").glob("*/exercise.yaml"))
OURS = {"grader", "shared", "exercises", "solutions", "tests"}


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def python_files(*folders: str) -> list[Path]:
    found = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [file for file in found if "rejected" not in file.parts]  # wrong on purpose


def test_there_are_exercises() -> None:
    assert len(EXERCISES) >= 4


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("exercises", {"shared"}),
        ("solutions", {"shared"}),
        ("shared", {"shared"}),
        ("grader/templates", {"shared"}),
        ("grader/worker", {"shared", "grader.worker"}),
    ],
)
def test_import_rules(folder: str, allowed: set[str]) -> None:
    for file in python_files(folder):
        for name in imports(file):
            if name.split(".")[0] in OURS:
                assert any(name == a or name.startswith(a + ".") for a in allowed), f"{file}: {name}"


def test_nobody_but_the_worker_loads_a_submission() -> None:
    """`import_file` executes a student's file; only the worker's code calls it (also when debugging)."""
    for file in python_files("grader"):
        if "import_file" in file.read_text(encoding="utf-8"):
            assert file.parts[-2:] == ("worker", "python_file.py")


@pytest.mark.parametrize("folder", ["grader", "shared"])
def test_no_exercise_is_named_in_the_code(folder: str) -> None:
    for file in (f for f in sorted((ROOT / folder).rglob("*")) if f.is_file() and f.suffix != ".pyc"):
        text = file.read_text(encoding="utf-8")
        for name in EXERCISES:
            assert name not in text, f"{file} names the exercise {name}"


def test_no_drawers_for_odds_and_ends() -> None:
    for folder in ("grader", "shared"):
        for file in python_files(folder):
            assert file.stem not in {"utils", "util", "helpers", "helper", "common", "misc"}


def test_parsing_judging_and_reporting_do_not_import_torch() -> None:
    modules = (
        "grader.cli, grader.exercise, grader.submission, grader.judge, grader.report, grader.terminal, grader.grade, "
        "grader.commands.batch_grade"
    )
    code = f"import sys; import {modules}; assert 'torch' not in sys.modules and 'triton' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_worker_of_a_cuda_file_does_not_import_torch() -> None:
    code = (
        "import sys; import grader.worker.child, grader.worker.cuda_file, grader.worker.server; "
        "assert not {'torch', 'pydantic', 'pytest'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_modules_and_functions_stay_small() -> None:
    for file in python_files("grader", "shared"):
        text = file.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 400, file
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                assert node.end_lineno - node.lineno < 70, f"{file}:{node.lineno} {node.name}"
