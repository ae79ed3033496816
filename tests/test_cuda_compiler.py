"""The verdict on a `.cu` file that runs on the CPU: by an nvcc that says what it once said, and by itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.boundary import compiling, server
from grader.boundary.server import Plan
from grader.boundary.workers import Workers
from grader.compiler import applied
from grader.grade import Target, grade
from grader.judge import judge
from grader.loading import load
from grader.records import PASSED, Setting, Visibility
from grader.report import ExerciseReport
from grader.status import Status
from shared.compiled_kernels import Compiled, Kernel, Refusal
from shared.cuda import compilers

HERE = Path(__file__).parent
EXERCISE = load(HERE / "content/exercises/double_cuda")
CORRECT = HERE / "golden/double_cuda/correct/double.cu"
TEXT = CORRECT.read_text(encoding="utf-8")
PTX = """\
.visible .entry _Z12twice_kernelPKfPfi(
	.param .u64 _Z12twice_kernelPKfPfi_param_0
)
{
	.loc	1 1 0
	ld.global.f32 	%f1, [%rd5];
	.loc	1 3 5
	st.global.f32 	[%rd7], %f2;
	ret;
}
	.file	1 "/tmp/build-1/double.cu"
"""
SAID = """\
ptxas info    : Compiling entry function '_Z12twice_kernelPKfPfi' for 'sm_80'
ptxas info    : Function properties for _Z12twice_kernelPKfPfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers, 372 bytes cmem[0]
"""
REFUSES = 'double.cu(3): error: calling a __host__ function("on_the_host") from a __global__ function is not allowed'
KERNEL = Kernel("twice_kernel", 1, 10, 0, 4, 4, 0, False, 0)
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put an nvcc before all others: its first lines, what it says, and the PTX that it leaves."""

    def installed(said: str = SAID, code: int = 0, first: str = "") -> None:
        (tmp_path / "double.ptx").write_text(PTX)
        (tmp_path / "said").write_text(said)
        program = tmp_path / "bin/nvcc"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{first}\ncp {tmp_path}/double.ptx .\ncat {tmp_path}/said\nexit {code}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setattr(server, "find_gpu_compiler", compilers.find_gpu_compiler)

    return installed


def graded(path: Path = CORRECT) -> ExerciseReport:
    with Workers() as workers:
        return grade([EXERCISE], [path], Target("cpu"), workers=workers).exercises[0]


def test_kernels_are_in_the_report(install: Install) -> None:
    install()
    report = graded()
    assert (report.status, report.kernels_note) == (Status.PASSED, "")
    assert [(k.name, k.line, k.registers, k.load_bytes) for k in report.kernels] == [("twice_kernel", 1, 10, 4)]


def test_what_nvcc_refuses_is_a_compile_error(install: Install) -> None:
    install(REFUSES, code=1)
    report = graded()
    assert (report.status, report.points, report.kernels) == (Status.COMPILE_ERROR, 0, [])
    (case,) = [case for case in report.cases if not case.hidden][:1]
    assert case.lines == ["double.cu:3: if (i < n) out[i] = 2.0f * x[i];"]
    assert "it runs on the CPU, but nvcc refuses it" in case.message
    assert 'calling a __host__ function("on_the_host")' in case.message


@pytest.mark.parametrize(
    ("said", "code", "note"),
    [
        ("nvcc fatal   : Cannot find compiler 'g++' in PATH\n", 1, "nvcc failed: Cannot find compiler 'g++' in PATH"),
        ('double.cu(1): error: cannot open source file "crt/host.h"\n', 1, 'cannot open source file "crt/host.h"'),
        ("Segmentation fault\n", 139, "nvcc failed: Segmentation fault"),
        ("a new form of words\n", 0, "ptxas does not say what each kernel uses"),
    ],
)
def test_what_is_not_the_students_fault_is_a_note(install: Install, said: str, code: int, note: str) -> None:
    install(said, code)
    report = graded()
    assert (report.status, report.points, report.kernels) == (Status.PASSED, 3, [])
    assert report.kernels_note.startswith("not everything was compiled: ")
    assert report.kernels_note.endswith(note)


def test_a_compiler_that_hangs_is_a_problem(install: Install) -> None:
    install(first="sleep 60")
    limits = EXERCISE.limits.model_copy(update={"build_s": 1.0})
    with Workers() as workers:
        found = compiling.by_nvcc(EXERCISE.model_copy(update={"limits": limits}), TEXT, workers)
    assert found == Compiled(problem="nvcc failed: the compiler did not finish within 1 s")


def test_an_nvcc_that_a_worker_cannot_find_is_a_problem(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_gpu_compiler", lambda: "/home/nvcc")
    install(first="exec /nowhere/nvcc")
    report = graded()
    assert (report.status, report.points) == (Status.PASSED, 3)
    assert report.kernels_note.startswith("not everything was compiled: nvcc failed: ")


def test_nothing_is_started_or_shown_without_nvcc() -> None:
    assert [plan.mode for plan in Plan.all_of(EXERCISE, "cpu")] == ["bare"]
    report = graded()
    assert (report.status, report.kernels, report.kernels_note) == (Status.PASSED, [], "")


def test_nvcc_has_a_sandbox_of_its_own(install: Install) -> None:
    """Two threads take servers at the same time, but never of one plan."""
    install()
    assert [plan.mode for plan in Plan.all_of(EXERCISE, "cpu")] == ["bare", "nvcc"]
    assert [plan.mode for plan in Plan.all_of(EXERCISE, "cuda")] == ["cuda", "bare"]
    simulated = EXERCISE.model_copy(update={"device": "cpu"})
    assert [plan.mode for plan in Plan.all_of(simulated, "cpu")] == ["bare"]


def test_a_hidden_case_shows_the_students_line_and_nothing_that_nvcc_said() -> None:
    setting = Setting("test_hidden", "test_hidden", "a title", 2, Visibility.PATTERN, True, PASSED)
    refusal = Refusal("", 3, "", "0.123 is not allowed")
    case = judge(EXERCISE, applied(EXERCISE, [setting], Compiled(refusal=refusal), TEXT), "cpu").cases[0]
    assert (case.status, case.lines) == (Status.COMPILE_ERROR, ["double.cu:3: if (i < n) out[i] = 2.0f * x[i];"])
    assert "0.123" not in case.message


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("own::twice_kernel<float, 4>", "own::twice_kernel<float, 4>"),
        ("twice_kernel", "twice_kernel"),
        ("other<twice_kernel>", "a kernel"),
        ("twice_kernel<" + "int, " * 50 + ">", "a kernel"),
        ("twice_kernel<\x1b[2J>", "a kernel"),
        ("", "a kernel"),
    ],
)
def test_names_are_those_of_the_file(name: str, shown: str) -> None:
    reply = {"op": "compiled", "kernels": [[name, *KERNEL.row()[1:]]], "refusal": None, "problem": None}
    assert compiling.of_a_cuda_file(reply, TEXT).kernels[0].name == shown


@pytest.mark.nvcc
def test_nvcc_itself_says_what_a_kernel_uses() -> None:
    report = graded()
    assert (report.status, report.points, report.kernels_note) == (Status.PASSED, 3, "")
    assert [(k.name, k.line, k.spill_bytes, k.load_bytes) for k in report.kernels] == [("twice_kernel", 1, 0, 4)]


@pytest.mark.nvcc
def test_nvcc_itself_refuses_what_runs_on_the_cpu(tmp_path: Path) -> None:
    path = tmp_path / "double.cu"
    path.write_text("static float two() { return 2.0f; }\n" + TEXT.replace("2.0f * x", "two() * x"))
    report = graded(path)
    assert (report.status, report.points) == (Status.COMPILE_ERROR, 0)
    assert report.cases[0].lines == ["double.cu:4: if (i < n) out[i] = two() * x[i];"]
    assert 'calling a __host__ function("two()") from a __global__ function' in report.cases[0].message
