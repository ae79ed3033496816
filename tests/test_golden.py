"""Golden folders: a submission, and the exact report it must get.

`pytest tests/test_golden.py --update-golden` writes the reports anew; read the difference before you commit it.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from grader.boundary.workers import Workers
from grader.grade import Target, grade
from grader.loading import load

HERE = Path(__file__).parent
FOLDERS = sorted(folder for folder in (HERE / "golden").glob("*/*") if folder.is_dir())


def test_there_are_golden_folders() -> None:
    assert len(FOLDERS) >= 70


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_report(folder: Path, workers: Workers, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    exercise = load(HERE / "content" / "exercises" / folder.parent.name)
    path = folder / exercise.file
    if (folder / "make_submission.py").exists():
        path = tmp_path / exercise.file
        make(folder / "make_submission.py", path)
    found = masked(grade([exercise], [path], Target("cpu"), workers=workers).model_dump(mode="json"))
    golden = folder / "report.json"
    if request.config.getoption("--update-golden"):
        golden.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(golden.read_text(encoding="utf-8"))


def make(script: Path, path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_submission", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.make(path)


def masked(report: dict[str, Any]) -> dict[str, Any]:
    """The report without what differs from machine to machine, from version to version, and from run to run."""
    for field in ("device", "environment"):
        report.pop(field)
    for exercise in report["exercises"]:
        for kernel in exercise["kernels"]:
            kernel.pop("registers")  # of this version of Triton
        for case in exercise["cases"]:
            for setting in case["settings"]:
                setting.pop("seconds")
    return report
