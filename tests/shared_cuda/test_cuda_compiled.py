"""What nvcc says of a kernel file, from what it once said (`recorded/`) and, where it is installed, from itself."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shared.compiled_kernels import Compiled, Kernel
from shared.cuda import compilers, kernels
from shared.cuda.diagnostics import Diagnostic
from shared.cuda.kernels import Entry, described, refused

RECORDED = Path(__file__).with_name("recorded")
SOURCE = (RECORDED / "kernels.cu").read_text(encoding="utf-8")
SAID = (RECORDED / "kernels.txt").read_text(encoding="utf-8")
ENTRY = Entry("_Z4tilePf", "tile", 7, "ld.global.nc.v2.f32 {%f1, %f2}, [%rd1];")
FAKE = """\
#!/bin/sh
cp {folder}/*.ptx . && cat {folder}/*.txt
exit {code}
"""
KERNELS = (
    Kernel("own::rotate<float, 4>", 7, 12, 0, 4, 4, 1, False, 1024),
    Kernel("own::rotate<unsigned int, 8>", 7, 12, 0, 4, 4, 1, False, 1024),
    Kernel("shift", 16, 10, 0, 16, 16, 0, False, 0),
    Kernel("plain", 21, 10, 0, 4, 4, 0, False, 0),
)
"""Of the recorded file, and none of the header's."""


def install_fake(folder: Path, monkeypatch: pytest.MonkeyPatch, recorded: Path = RECORDED, code: int = 0) -> None:
    """An nvcc that says, and leaves behind, what is in a folder."""
    script = folder / "bin" / "nvcc"
    script.parent.mkdir()
    script.write_text(FAKE.format(folder=recorded, code=code))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")


def compile_text(text: str, folder: Path, filename: str = "kernels.cu") -> Compiled:
    out_dir = folder / "out"
    out_dir.mkdir()
    return kernels.compiled(text, filename, [], out_dir, "sm_80", timeout_s=60)


def test_recorded_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_fake(tmp_path, monkeypatch)
    assert compile_text(SOURCE, tmp_path) == Compiled(KERNELS)


def test_symbols_stay_where_nothing_can_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_fake(tmp_path, monkeypatch)
    usual = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "c++filt" else usual(name))
    names = {kernel.name for kernel in compile_text(SOURCE, tmp_path).kernels}
    assert {"plain", "_ZN3own6rotateIfLi4EEEvPT_"} <= names


def test_spills_and_shared_memory() -> None:
    said = (
        "ptxas info    : Compiling entry function '_Z4tilePf' for 'sm_80'\n"
        "ptxas info    : Function properties for _Z4tilePf\n"
        "    512 bytes stack frame, 496 bytes spill stores, 640 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 4096+0 bytes smem, 360 bytes cmem[0]\n"
    )
    expected = Kernel("tile", 7, 32, 496, 8, 0, 0, False, 4096)
    assert described(said, [ENTRY]) == Compiled((expected,))
    older = said.replace(" used 1 barriers, 4096+0 bytes smem,", "")
    assert described(older, [ENTRY]) == Compiled((replace(expected, shared_bytes=0),))


@pytest.mark.parametrize("said", ["", "ptxas info    : 0 bytes gmem\n", SAID])
def test_output_of_another_form_is_a_problem(said: str) -> None:
    assert described(said, [ENTRY]) == Compiled(problem="ptxas does not say what each kernel uses")


def test_a_file_without_kernels_is_none() -> None:
    assert described("ptxas info    : 0 bytes gmem\n", []) == Compiled()


def test_the_first_error_is_the_reason() -> None:
    found = (
        Diagnostic(2, "warning", "variable was declared but never referenced"),
        Diagnostic(3, "error", "expression must have a constant value"),
        Diagnostic(5, "error", "a __global__ function must have a void return type"),
    )
    refusal = refused(found, []).refusal
    assert refusal is not None
    assert (refusal.line, refusal.kind) == (3, "")
    assert refusal.reason == "expression must have a constant value (the first of 2 errors)"


def test_ptxas_names_a_kernel_whose_line_is_known() -> None:
    message = "Entry function '_Z4tilePf' uses too much shared data (0x10000 bytes, 0xc000 max)"
    refusal = refused([Diagnostic(None, "error", message)], [ENTRY]).refusal
    assert refusal is not None
    assert (refusal.kernel, refusal.line) == ("tile", 7)
    assert refusal.reason == "Entry function 'tile' uses too much shared data (0x10000 bytes, 0xc000 max)"


@pytest.mark.parametrize(
    "error",
    [
        Diagnostic(None, "error", "Unsupported .version 9.0; current version is '8.8'"),
        Diagnostic(None, "error", "Cannot find compiler 'g++' in PATH"),
        Diagnostic(None, "error", "Entry function '_Z6othersPf' uses too much shared data (0x10000 bytes, 0xc000 max)"),
        Diagnostic(1, "error", "cub/cub.cuh: No such file or directory"),
        Diagnostic(1, "error", 'cannot open source file "cub/cub.cuh"'),
        Diagnostic(9, "error", "__cluster_dims__ is not supported for this GPU architecture"),
    ],
    ids=lambda error: error.message[:40],
)
def test_what_may_be_this_machines_fault_is_a_problem(error: Diagnostic) -> None:
    found = refused([error], [ENTRY])
    assert (found.refusal, found.problem) == (None, f"nvcc failed: {error.message}")


def test_a_compiler_that_fails_without_a_word_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = tmp_path / "recorded"
    recorded.mkdir()
    (recorded / "odd.ptx").write_bytes(b"\xff\x00")
    (recorded / "odd.txt").write_text("Segmentation fault\n")
    install_fake(tmp_path, monkeypatch, recorded, code=139)
    assert compile_text(SOURCE, tmp_path) == Compiled(problem="nvcc failed: Segmentation fault")


def test_nvcc_installed_by_pip_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for toolkit in ("cu12", "cu13"):
        program = tmp_path / "nvidia" / toolkit / "bin" / "nvcc"
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)
    usual = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: usual(name) if name.startswith(str(tmp_path)) else None)
    monkeypatch.setattr("sys.path", [str(tmp_path / "nowhere"), str(tmp_path)])
    assert compilers.find_gpu_compiler() == str(tmp_path / "nvidia/cu13/bin/nvcc")


@pytest.mark.nvcc
def test_nvcc_says_what_was_recorded(tmp_path: Path) -> None:
    """All but registers, which are another version's."""
    text = SOURCE.replace('#include "lecture.cuh"', "__global__ void lecture_kernel(float* x) { x[0] = 1; }")
    found = compile_text(text, tmp_path)
    assert (found.refusal, found.problem) == (None, "")
    lecture, *own = [replace(kernel, registers=0) for kernel in found.kernels]
    assert lecture.name == "lecture_kernel"
    assert own == [replace(kernel, registers=0) for kernel in KERNELS]


@pytest.mark.nvcc
def test_nvcc_spills(tmp_path: Path) -> None:
    sums = " ".join(f"float s{i} = x[{i} * n];" for i in range(200))
    text = f"""\
__global__ void __launch_bounds__(1024, 2) crowd(float* x, int n) {{
  {sums}
  for (int k = 0; k < n; k++) {{ {" ".join(f"s{i} = s{i} * s{(i + 1) % 200} + k;" for i in range(200))} }}
  x[0] = {" + ".join(f"s{i}" for i in range(200))};
}}
"""
    (kernel,) = compile_text(text, tmp_path).kernels
    assert (kernel.name, kernel.line) == ("crowd", 1)
    assert kernel.spill_bytes > 0


@pytest.mark.nvcc
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("int width = n; float row[width]; row[0] = x[0]; x[1] = row[n];", "must have a constant value"),
        ("__shared__ float tile[16384]; tile[n] = x[n]; __syncthreads(); x[0] = tile[0];", "'k' uses too much shared"),
        ("x[0] = on_the_host(x[1]);", 'calling a __host__ function("on_the_host'),
    ],
)
def test_nvcc_refuses(tmp_path: Path, line: str, word: str) -> None:
    text = f"float on_the_host(float x) {{ return x + 1; }}\n__global__ void k(float* x, int n) {{ {line} }}\n"
    refusal = compile_text(text, tmp_path).refusal
    assert refusal is not None
    assert refusal.line == 2
    assert word in refusal.reason
