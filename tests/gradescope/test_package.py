"""The zip for Gradescope: what is in it, what is not, and what the TA reads."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.commands import package_autograder
from grader.commands.package_autograder import Choices
from grader.errors import UsageError
from grader.loading import load_all

ROOT = Path(__file__).parents[2]
EXERCISES = load_all(ROOT)
TWO = [exercise.name for exercise in EXERCISES[:2]]


def packed(place: Path, names: list[str] | None = None, **choices: Any) -> zipfile.ZipFile:
    given = Choices(**{"seed": 7, **choices})
    assert package_autograder.run(ROOT, names or TWO, "gradescope", place, given) == 0
    return zipfile.ZipFile(place)


def test_files_lie_at_the_root_and_can_be_executed(tmp_path: Path) -> None:
    with packed(tmp_path / "a.zip") as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
        for name in ("setup.sh", "run_autograder"):
            assert modes[name] == stat.S_IFREG | 0o755
            text = archive.read(name)
            assert text.startswith(b"#!/usr/bin/env bash\n")
            assert b"\r" not in text
        assert {name.partition("/")[0] for name in modes} == {"setup.sh", "run_autograder", "course"}
        assert all(info.create_system == 3 for info in archive.infolist())


def test_hidden_tests_are_in_and_solutions_are_out(tmp_path: Path) -> None:
    with packed(tmp_path / "a.zip") as archive:
        names = set(archive.namelist())
        assert {f"course/exercises/{name}/hidden/test_hidden.py" for name in TWO} <= names
        assert {name.split("/")[2] for name in names if name.startswith("course/exercises/")} == set(TWO)
        assert not [name for name in names if re.search(r"solution|rejected|/tests/|\.git/|__pycache__", name)]
        assert {"course/constraints.txt", "course/grader/__main__.py", "course/shared/cuda/build.py"} <= names
        archive.extractall(tmp_path / "out")
    assert [exercise.name for exercise in load_all(tmp_path / "out/course")] == TWO


def test_it_is_the_same_again_but_for_the_seed(tmp_path: Path) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", None), ("d", None)):
        packed(tmp_path / f"{name}.zip", TWO[:1], seed=seed).close()
    first, second, third, fourth = ((tmp_path / f"{name}.zip").read_bytes() for name in "abcd")
    assert first == second
    assert third != fourth
    with zipfile.ZipFile(tmp_path / "c.zip") as archive:
        assert json.loads(archive.read("course/package.json"))["seed"] != 7


def test_what_the_ta_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    late = tmp_path / "late.yaml"
    late.write_text("deadline: 2026-10-01 23:59+02:00\nper_day: 0.1\nextensions: {'4711': 2, ada@example.org: 1}\n")
    with packed(tmp_path / "a.zip", [e.name for e in EXERCISES], late=late, time_limit_min=20, hidden="hidden") as made:
        assert made.read("course/late.yaml") == late.read_bytes()
        assert json.loads(made.read("course/package.json")) == {"seed": 7, "hidden": "hidden", "time_limit_min": 20}
    said = capsys.readouterr().out
    speed = sum(case.points for exercise in EXERCISES for case in exercise.performance)
    total = sum(exercise.max_points for exercise in EXERCISES) - speed
    assert f"Set the assignment's points to {total}.\n{speed} points for speed are not measured there" in said
    assert "a time limit of 20 minutes" in said
    assert "--seed 7" in said
    assert "extensions.4711: Gradescope tells an autograder e-mail addresses" in said
    assert "extensions.ada" not in said


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"to": "moodle"}, "--to 'moodle': expected gradescope"),
        ({"name": "a.tar"}, "expected a name that ends with .zip"),
        ({"name": "missing/a.zip"}, "in a folder that exists"),
        ({"hidden": "never"}, "--hidden never"),
        ({"time_limit_min": 90}, "--time-limit 90"),
        ({"seed": -1}, "--seed -1"),
        ({"late": Path("/nowhere.yaml")}, "/nowhere.yaml: cannot be read"),
    ],
)
def test_bad_options_leave_nothing_behind(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    to, name = change.pop("to", "gradescope"), change.pop("name", "a.zip")
    with pytest.raises(UsageError, match=re.escape(message)):
        package_autograder.run(ROOT, TWO, to, tmp_path / name, Choices(**change))
    assert list(tmp_path.iterdir()) == []


def test_a_students_copy_makes_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.exercise.HIDDEN_TESTS", "hidden/not_there.py")
    with pytest.raises(UsageError, match="make the package in the staff's repository"):
        package_autograder.run(ROOT, TWO, "gradescope", tmp_path / "a.zip", Choices())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_bash_reads_the_scripts(name: str) -> None:
    subprocess.run(["bash", "-n", package_autograder.TEMPLATES / name], check=True)


def test_what_setup_installs_is_what_the_grader_needs() -> None:
    """Every package that pyproject.toml names, but those that only start sessions."""
    project = (ROOT / "pyproject.toml").read_text()
    needed = re.findall(r'"([^"]+)"', project.partition("\ndependencies = [")[2].partition("\n]")[0])
    names = {re.split(r"[^a-z0-9]", each)[0] for each in needed} - {"nox"}
    text = (package_autograder.TEMPLATES / "setup.sh").read_text()
    installed = set(re.search(r"constraints\.txt\" \\\n(.*)", text)[1].split())  # type: ignore[index]
    assert installed == names
