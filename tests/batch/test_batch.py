"""The command `batch`: from a folder of submissions to a book, also when it is killed, and what it refuses."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.batch import plan
from grader.batch.book import Book
from grader.batch.lane import Orders
from tests.batch.classes import CONTENT, GOLDEN

HANDED_IN = {
    "ada": "correct",
    "bob": "raises",
    "cyd": "correct",
    "dan": "returns_nan",
    "eve": "unfilled_stub",
    "fay": "",
}
POINTS = {
    "ada": "passed",
    "bob": "runtime_error",
    "cyd": "passed",
    "dan": "incorrect",
    "eve": "not_attempted",
    "fay": None,
}
KILLS = int(os.environ.get("KERNEL_GRADER_KILLS", "5"))
"""SIGKILLs of the grader in one run; a course's staff may want a hundred, once."""


def hand_in(folder: Path, **students: str) -> Path:
    for student, golden in students.items():
        place = folder / student
        place.mkdir(parents=True)
        if golden:
            shutil.copy(GOLDEN / golden / "double.py", place)
        else:
            (place / "notes.txt").write_text("I was ill.", encoding="utf-8")
    return folder


@pytest.fixture
def students(tmp_path: Path) -> Path:
    return hand_in(tmp_path / "handed in", **HANDED_IN)


@pytest.fixture
def batch(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*words: str | Path, out: str = "out") -> subprocess.CompletedProcess[str]:
        return subprocess.run(command(tmp_path / out, *words), capture_output=True, text=True, timeout=300)

    return run


def command(out: Path, *words: str | Path) -> list[str]:
    fixed = ["--out", str(out), "--root", str(CONTENT), "--device", "cpu", "--no-sandbox", "--jobs", "2"]
    return [sys.executable, "-m", "grader", "batch", *map(str, words), *fixed]


def book(out: Path) -> Book:
    return Book.model_validate_json((out / "book.json").read_bytes())


def statuses(out: Path) -> dict[str, Any]:
    return {row.person.id: row.grades[0].status for row in book(out).rows}


def verdicts(out: Path) -> dict[str, Any]:
    """Every result without its times."""
    found = {}
    for file in sorted((out / "results").glob("*/*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        for case in data["report"]["cases"]:
            for setting in case["settings"]:
                setting["seconds"] = 0.0
        found[file.relative_to(out).as_posix()] = data
    return found


def test_from_a_folder_to_a_book_and_on(batch: Any, students: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = batch(students)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "layout folders: 6 submissions, 5 files" in first.stdout
    assert "6 of 6 people have all their grades" in first.stdout
    assert statuses(out) == POINTS
    assert "fay" in (out / "grades.html").read_text(encoding="utf-8")
    assert book(out).columns[0].exercise == "double"
    assert len(book(out).columns) == 1

    written = {file: file.stat().st_mtime_ns for file in (out / "results").glob("*/*.json")}
    (students / "gus").mkdir()
    shutil.copy(GOLDEN / "raises/double.py", students / "gus")
    shutil.copy(GOLDEN / "wrong_shape/double.py", students / "fay")
    again = batch(students)
    assert "5 of 5 graded: 4 graded before, 1 wrong_shape" in again.stderr  # gus has bob's bytes
    assert statuses(out) == {**POINTS, "fay": "wrong_shape", "gus": "runtime_error"}
    assert all(file.stat().st_mtime_ns == written[file] for file in written)

    shutil.rmtree(students)
    assert batch().returncode == 0  # it knows all that it needs
    assert statuses(out) == {**POINTS, "fay": "wrong_shape", "gus": "runtime_error"}


def test_only_some(batch: Any, students: Path, tmp_path: Path) -> None:
    found = batch(students, "--only", "b*")
    assert found.returncode == 0, found.stdout + found.stderr
    graded = {row.person.id: row.is_finished for row in book(tmp_path / "out").rows}
    assert graded == {"ada": False, "bob": True, "cyd": False, "dan": False, "eve": False, "fay": True}
    assert "1 of 1 graded: 1 runtime_error" in found.stderr
    nobody = batch(students, "--only", "zoe")
    assert nobody.returncode == 2
    assert "none of the 6 submissions matches" in nobody.stderr


def test_again_says_whether_the_verdict_is_the_same(batch: Any, students: Path, tmp_path: Path) -> None:
    assert batch(students, "--only", "[ab]*").returncode == 0
    same = batch(students, "--only", "a*", "--again")
    assert same.returncode == 0, same.stdout + same.stderr
    assert "ada: double: the same verdict: passed" in same.stdout
    assert "bob" not in "".join(line for line in same.stdout.splitlines() if "verdict" in line)
    file = next(f for f in (tmp_path / "out/results/double").glob("*.json") if '"runtime_error"' in f.read_text())
    file.write_text(file.read_text().replace('"runtime_error"', '"incorrect"'))  # as if chance had a hand in it
    other = batch(students, "--only", "b*", "--again")
    assert "bob: double: the verdict is not steady: incorrect" in other.stdout
    assert statuses(tmp_path / "out")["bob"] == "runtime_error"
    assert "dan: double: there was no verdict before" in batch("--only", "dan", "--again").stdout


def test_a_dry_run_writes_nothing(batch: Any, students: Path, tmp_path: Path) -> None:
    found = batch(students, "--dry-run")
    assert found.returncode == 0
    assert "ada" in found.stdout
    assert not (tmp_path / "out").exists()


def killed_again_and_again(words: list[str], out: Path, kills: int) -> None:
    """Begin the command `kills` times, and kill it at a moment of its life, from its start to its end."""
    draw = random.Random(kills)
    longest = 4.0
    for _ in range(kills):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begun = time.monotonic()
        try:
            process.wait(draw.uniform(0.05, longest))
            longest = max(1.0, time.monotonic() - begun)  # it was done: the next moments lie earlier
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            longest += 0.5


def test_killed_at_any_moment_the_book_is_the_same(batch: Any, students: Path, tmp_path: Path) -> None:
    out, undisturbed = tmp_path / "out", tmp_path / "undisturbed"
    assert batch(students, "--only", "nobody", out="undisturbed").returncode == 2  # the folder, and its seed
    out.mkdir()
    shutil.copy(undisturbed / "batch.json", out)
    for name in ("files", "conditions", "results", "claims"):
        (out / name).mkdir()
    assert batch(students, out="undisturbed").returncode == 0
    killed_again_and_again(command(out, students), out, KILLS)
    last = batch(students)
    assert last.returncode == 0, last.stdout + last.stderr
    assert (out / "book.json").read_bytes() == (undisturbed / "book.json").read_bytes()
    assert (out / "mapping.json").read_bytes() == (undisturbed / "mapping.json").read_bytes()
    assert verdicts(out) == verdicts(undisturbed)
    assert len(verdicts(out)) == 4  # cyd has ada's bytes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{students}", "--out", "{students}/out"], "lies among the submissions"),
        (["{students}", "-e", "dubble"], "did you mean double"),
        (["{students}", "--layout", "moodle"], "expected one of auto"),
        (["{students}", "--roster", "nowhere.csv"], "nowhere.csv"),
        (["{students}", "--late", "nowhere.yaml"], "nowhere.yaml"),
        (["{students}", "--device", "tpu"], "expected auto, cpu, cuda"),
        (["{students}/nowhere"], "there is no such folder or archive"),
        ([], "no mapping.json"),
        (["{students}", "--pattern", "("], "--pattern '('"),
    ],
)
def test_bad_input_is_said_and_nothing_is_written(
    words: list[str], message: str, students: Path, tmp_path: Path
) -> None:
    said = [word.format(students=students) for word in words]
    plain = command(tmp_path / "out", *said)
    if "--out" in said:  # the last one counts
        plain = [sys.executable, "-m", "grader", "batch", *said, "--root", str(CONTENT)]
    if "--device" in said:
        plain = [word for word in plain if word != "cpu"][: plain.index("--root") + 2]
    found = subprocess.run(plain, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2, found.stdout + found.stderr
    assert message in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "out/book.json").exists()


def orders() -> Orders:
    return Orders(root="", out="", exercises=(), device="cuda", device_index=0)


@pytest.mark.parametrize(
    ("gpus", "jobs", "cores", "gb", "devices"),
    [
        (0, None, 2, 24, [0, 0]),
        (0, None, 64, 8, [0, 0, 0, 0]),  # memory is the bound
        (0, 3, 1, 1, [0, 0, 0]),
        (0, None, 1, 1, [0]),
        (1, None, 16, 128, [0, 0, 0, 0]),
        (2, None, 16, 128, [0, 1, 0, 1, 0, 1, 0, 1]),
        (2, 2, 16, 128, [0, 1]),
        (8, None, 4, 128, [0, 1, 2, 3]),
    ],
)
def test_lanes_for_a_machine(gpus: int, jobs: int | None, cores: int, gb: int, devices: list[int]) -> None:
    found = plan.lanes(orders(), gpus, jobs, cores, gb * 2**30)
    assert [each.device_index for each in found] == devices
    assert [each.part for each in found] == [(number, len(devices)) for number in range(len(devices))]
