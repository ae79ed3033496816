"""The grader on a real GPU: `nox -s tests -- -m gpu`; without nox, `python -m pytest tests/gpu -m gpu`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.boundary.workers import Workers
from grader.grade import Target, grade
from grader.loading import load, load_all
from grader.report import ExerciseReport

ROOT = Path(__file__).parents[2]
CONTENT = ROOT / "tests/content/exercises"
NAMES = [exercise.name for exercise in load_all(ROOT)]

pytestmark = pytest.mark.gpu


@pytest.fixture
def gpu() -> Iterator[Workers]:
    with Workers() as found:
        yield found


def graded(folder: Path, file: Path, workers: Workers) -> ExerciseReport:
    return grade([load(folder)], [file], Target("cuda"), workers=workers).exercises[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_gets_every_point(name: str, gpu: Workers) -> None:
    folder = ROOT / "exercises" / name
    exercise = load(folder)
    report = graded(folder, ROOT / "solutions" / name / exercise.file, gpu)
    assert report.status.value == "passed", report
    assert report.points == report.max_points, report


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_is_not_attempted(name: str, gpu: Workers) -> None:
    folder = ROOT / "exercises" / name
    assert graded(folder, folder / load(folder).file, gpu).status.value == "not_attempted"


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("correct", "passed"),
        ("missing_extern_c", "passed"),
        ("compile_error", "compile_error"),
        ("wrong_prototype", "compile_error"),
        ("missing_launcher", "compile_error"),
        ("null_write", "memory_error"),
        ("past_the_end", "memory_error"),
        ("changes_its_input", "incorrect"),
        ("last_block_forgotten", "incorrect"),
        ("block_of_2048", "runtime_error"),
        ("uses_inline_ptx", "passed"),
        ("exits", "crashed"),
    ],
)
def test_cuda_submissions(name: str, status: str, gpu: Workers) -> None:
    report = graded(CONTENT / "double_cuda", ROOT / f"tests/golden/double_cuda/{name}/double.cu", gpu)
    assert report.status.value == status, report


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("correct", "passed"),
        ("returns_none", "incorrect"),
        ("wrong_dtype", "wrong_dtype"),
        ("modifies_input", "incorrect"),
        ("modifies_padding", "incorrect"),
        ("wrong_device", "incorrect"),
        ("returns_view", "passed"),
        ("loop_in_call", "timeout"),
        ("os_exit_in_call", "crashed"),
        ("sys_exit_at_import", "runtime_error"),
        ("raises", "runtime_error"),
    ],
)
def test_python_submissions(name: str, status: str, gpu: Workers) -> None:
    report = graded(CONTENT / "double", ROOT / f"tests/golden/double/{name}/double.py", gpu)
    assert report.status.value == status, report


def test_a_result_on_the_cpu_is_on_the_wrong_device(tmp_path: Path, gpu: Workers) -> None:
    file = tmp_path / "double.py"
    file.write_text("def double(x):\n    return 2 * x.cpu()\n")
    report = graded(CONTENT / "double", file, gpu)
    assert report.status.value == "incorrect"
    assert "returned a tensor on cpu, expected one on cuda" in report.cases[0].message


def test_a_kernel_that_never_ends_is_killed(tmp_path: Path, gpu: Workers) -> None:
    good = (ROOT / "tests/golden/double_cuda/correct/double.cu").read_text()
    file = tmp_path / "double.cu"
    file.write_text(
        good.replace("if (i < n) out", "volatile float* go = out;\n    while (go[0] != -7.5f) {}\n    if (i < n) out")
    )
    assert graded(CONTENT / "double_cuda", file, gpu).status.value == "timeout"
    right = graded(CONTENT / "double_cuda", ROOT / "tests/golden/double_cuda/correct/double.cu", gpu)
    assert right.status.value == "passed", "the next submission is not affected"


def test_an_illegal_access_does_not_reach_the_next_setting(tmp_path: Path, gpu: Workers) -> None:
    """The first size breaks the context; the others run in a new process and are right."""
    good = (ROOT / "tests/golden/double_cuda/correct/double.cu").read_text()
    file = tmp_path / "double.cu"
    file.write_text(good.replace("(x, out, num_elements)", "(x, num_elements == 70 ? nullptr : out, num_elements)"))
    cases = {case.name: case for case in graded(CONTENT / "double_cuda", file, gpu).cases}
    assert cases["test_small"].status.value == "memory_error"
    assert cases["test_sizes"].status.value == "passed"
