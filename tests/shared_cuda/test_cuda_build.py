"""Building: what compilers refuse, and how it is told."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shared.cuda import build, prototype
from shared.cuda.build import CompileError, NotEmulated
from tests.shared_cuda.conftest import KERNELS

GELU = prototype.parse("int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream)")
COMPILERS = ["cpu"] + (["gpu"] if build.find_gpu_compiler() else [])
each_compiler = pytest.mark.parametrize("target", COMPILERS)

KERNEL = "__global__ void k(const float* x, float* out, int64_t n) { out[0] = x[0]; }\n"
BODY = "{ k<<<1, 1, 0, stream>>>(x, out, n); return cudaGetLastError(); }\n"


@pytest.fixture
def compile_text(cache_dir: Path, tmp_path: Path):
    def compile_(target: str, text: str, timeout_s: float = 60) -> Path:
        if target == "gpu":
            return build.build_gpu(text, "gelu.cu", [GELU], tmp_path, "sm_80", timeout_s)
        return build.build_cpu(text, "gelu.cu", [GELU], tmp_path, cache_dir, timeout_s)

    return compile_


def refused(compile_text, target: str, text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        compile_text(target, text)
    assert "/" not in caught.value.text.replace("gelu.cu", "")
    return caught.value


@each_compiler
@pytest.mark.parametrize("linkage", ['extern "C" ', ""])
def test_builds_with_and_without_extern_c(compile_text, target: str, linkage: str) -> None:
    head = "int gelu(const float* x, float* out, int64_t n, cudaStream_t stream) "
    path = compile_text(target, KERNEL + linkage + head + BODY)
    assert path.suffix == ".so"
    assert path.is_file()


@each_compiler
def test_a_syntax_error_has_its_line(compile_text, target: str) -> None:
    error = refused(compile_text, target, KERNEL + "\nint broken( { return undefined_name; }\n")
    assert error.diagnostics[0].line == 3
    assert error.diagnostics[0].severity == "error"
    assert error.text.startswith("gelu.cu:3: error: ")


@each_compiler
def test_a_wrong_parameter_with_c_linkage(compile_text, target: str) -> None:
    head = 'extern "C" int gelu(const float* x, float* out, int n, cudaStream_t stream) '
    error = refused(compile_text, target, KERNEL + head + BODY)
    assert error.diagnostics[0].line == 2
    assert "gelu" in error.text


@each_compiler
def test_a_wrong_parameter_without_c_linkage(compile_text, target: str) -> None:
    head = "int gelu(const float* x, float* out, int n, cudaStream_t stream) "
    error = refused(compile_text, target, KERNEL + head + BODY)
    assert error.diagnostics[0].line == 2
    assert 'defines a C++ function "gelu", but with other parameters' in error.text
    assert str(GELU) in error.text


@each_compiler
def test_a_missing_launcher(compile_text, target: str) -> None:
    error = refused(compile_text, target, KERNEL)
    assert error.text == f'gelu.cu defines no function "gelu"; expected: {GELU}'


@each_compiler
def test_a_launcher_in_a_namespace(compile_text, target: str) -> None:
    head = "int gelu(const float* x, float* out, int64_t n, cudaStream_t stream) "
    error = refused(compile_text, target, KERNEL + "namespace mine { " + head + BODY + "}")
    assert "inside a namespace" in error.text


@each_compiler
def test_a_static_launcher(compile_text, target: str) -> None:
    head = "static int gelu(const float* x, float* out, int64_t n, cudaStream_t stream) "
    assert "gelu" in refused(compile_text, target, KERNEL + head + BODY).text


@each_compiler
def test_wrong_arguments_of_a_launch(compile_text, target: str) -> None:
    text = "\n" + KERNEL + "void f(float* x) {\n  k<<<1, 1>>>(x, x);\n}\n"
    assert refused(compile_text, target, text).diagnostics[0].line == 4


@each_compiler
def test_a_function_that_is_only_declared(compile_text, target: str) -> None:
    head = 'extern "C" int gelu(const float* x, float* out, int64_t n, cudaStream_t stream) '
    text = KERNEL + "__device__ float other(float);\n__global__ void j(float* x) {\n"
    text += "  x[0] = other(x[0]);\n}\n" + head + BODY
    assert "other" in refused(compile_text, target, text).text


@pytest.mark.parametrize("file", ["features", "groups", "faults"])
@pytest.mark.skipif("gpu" not in COMPILERS, reason="nvcc is not installed")
def test_the_kernels_are_cuda(file: str, tmp_path: Path) -> None:
    """Nvcc accepts the files that the emulator's tests run (one architecture, no prototypes)."""
    text = (KERNELS / f"{file}.cu").read_text()
    path = build.build_gpu(text, f"{file}.cu", [], tmp_path, "sm_80", timeout_s=120)
    assert path.is_file()


def test_narrowing_and_unused_variables_are_fine(compile_text) -> None:
    head = 'extern "C" int gelu(const float* x, float* out, int64_t n, cudaStream_t stream) '
    compile_text("cpu", "static int unused;\nfloat y = 1.0;\n" + KERNEL + head + BODY)


def test_a_gpu_feature_is_not_a_students_error(compile_text) -> None:
    with pytest.raises(NotEmulated, match=r"gelu\.cu:2: error: inline PTX cannot be run"):
        compile_text("cpu", '\n__device__ void f() { asm("exit;"); }')


def test_a_rewriting_error_is_a_compile_error(compile_text) -> None:
    error = refused(compile_text, "cpu", KERNEL + "void f() {\n k<<<1, 2>>>;\n}")
    assert error.text == "gelu.cu:3: error: a launch needs its arguments, in parentheses, after >>>"


def test_an_error_in_a_shared_declaration_is_told_once(compile_text) -> None:
    error = refused(compile_text, "cpu", "__global__ void k() {\n __shared__ int s[n];\n}\n")
    assert error.text.startswith("gelu.cu:2: error: 'n' was not declared in this scope")
    assert len(error.diagnostics) == 1
    text = "__global__ void k() {\n __shared__ int s[8];\n s.x = 1;\n}\n"
    assert "non-class type 'int [8]'" in refused(compile_text, "cpu", text).text


def test_an_error_can_be_pickled(compile_text) -> None:
    error = refused(compile_text, "cpu", KERNEL + "\nint broken(\n")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.text, copy.diagnostics) == (error.text, error.diagnostics)


def test_names_of_the_standard_library_do_not_clash(compile_text) -> None:
    head = 'extern "C" int gelu(const float* x, float* out, int64_t n, cudaStream_t stream) '
    text = (
        "#include <algorithm>\n#include <vector>\nusing namespace std;\n"
        "__global__ void gelu(const float* x, float* out) {\n"
        "  out[0] = max(x[0], 1.0f) + std::max(2, 3) + min(4u, 5u) + exp(x[0]) + std::tanh(x[0]);\n"
        "}\n"
    )
    body = "{ vector<int> v(3); gelu<<<v.size(), dim3(1, 1)>>>(x, out); return cudaGetLastError(); }"
    compile_text("cpu", text + head + body)


def test_an_endless_compilation_ends(compile_text) -> None:
    endless = (
        "template <unsigned long N, unsigned D> struct T {\n"
        "  static constexpr unsigned long v = T<N, D - 1>::v + T<N + (1ul << D), D - 1>::v;\n"
        "};\n"
        "template <unsigned long N> struct T<N, 0> { static constexpr unsigned long v = N; };\n"
        "static_assert(T<0, 40>::v > 0);\n"
    )
    start = time.monotonic()
    with pytest.raises(CompileError, match=r"did not finish within 0\.7 s"):
        compile_text("cpu", endless, timeout_s=0.7)
    assert time.monotonic() - start < 5


def test_two_processes_may_prepare_at_once(tmp_path: Path) -> None:
    text = "import sys; from pathlib import Path; from shared.cuda import build; build.prepare_cpu(Path(sys.argv[1]))"
    command = [sys.executable, "-c", text, str(tmp_path)]
    root = Path(build.__file__).parents[2]
    processes = [subprocess.Popen(command, cwd=root) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert len(list(tmp_path.iterdir())) == 1
