"""What Triton's compiler says of real kernels, in a worker, on a machine without a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.boundary.compiling import compiled
from grader.boundary.workers import Workers
from grader.loading import load
from shared import triton_refusals
from shared.compiled_kernels import Compiled

EXERCISE = load(Path(__file__).parent / "content/exercises/quadruple")

HEAD = """\
import numpy as np
import torch
import triton
import triton.language as tl

WIDTH = 4


def outside(x):
    return x + 1


@triton.jit
def inside(x):
    return x.no_such_thing


@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets)
"""
TAIL = """

def quadruple(x):
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK_SIZE=128)
    return y
"""
FIRST_LINE = HEAD.count("\n") + 1


def compile_text(workers: Workers, text: str, x: torch.Tensor | None = None) -> Compiled:
    return compiled(EXERCISE, text, (torch.randn(1024) if x is None else x,), workers)


def body(*lines: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in lines) + TAIL


def test_a_copy(workers: Workers) -> None:
    found = compile_text(workers, body("tl.store(y_ptr + offsets, 4 * x)"))
    assert (found.refusal, found.problem) == (None, "")
    (kernel,) = found.kernels
    assert (kernel.name, kernel.line) == ("kernel", FIRST_LINE - 3)
    assert (kernel.spill_bytes, kernel.load_bytes, kernel.store_bytes, kernel.shuffles) == (0, 4, 4, 0)
    assert 0 < kernel.registers <= 32
    assert not kernel.uses_tensor_cores


SOFTMAX = (Path(__file__).parent.parent / "solutions/triton_softmax/triton_softmax.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(("num_cols", "load_bytes"), [(1024, 16), (1000, 4)])
def test_softmax_loads_vectors_where_rows_are_aligned(workers: Workers, num_cols: int, load_bytes: int) -> None:
    """The compiler knows from the launch line that a stride is a multiple of 16."""
    text = SOFTMAX + "\nquadruple = triton_softmax\n"
    (kernel,) = compile_text(workers, text, torch.randn(256, num_cols)).kernels
    assert (kernel.load_bytes, kernel.store_bytes, kernel.spill_bytes) == (load_bytes, load_bytes, 0)
    assert kernel.shuffles > 0
    assert kernel.shared_bytes > 0
    assert 16 <= kernel.registers <= 64


MATMUL = """\
import torch
import triton
import triton.language as tl

@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 64}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK": 32}, num_warps=4),
    ],
    key=["size"],
)
@triton.jit
def matmul_kernel(x_ptr, y_ptr, size, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    k = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, size, BLOCK):
        a = tl.load(x_ptr + row * size + start + k[None, :])
        b = tl.load(x_ptr + (start + k[:, None]) * size + col)
        total = tl.dot(a, b, total)
    tl.store(y_ptr + row * size + col, total)


def quadruple(x):
    y = torch.empty_like(x, dtype=torch.float32)
    grid = lambda meta: (triton.cdiv(x.shape[0], meta["BLOCK"]), triton.cdiv(x.shape[1], meta["BLOCK"]))
    matmul_kernel[grid](x, y, x.shape[0])
    return y
"""


def test_an_autotuned_product_of_halves_uses_tensor_cores(workers: Workers) -> None:
    """Of the configurations the first one is told of, as compiled; its loads are copies ahead of their use."""
    found = compile_text(workers, MATMUL, torch.randn(256, 256).half())
    assert (found.refusal, found.problem) == (None, "")
    (kernel,) = found.kernels
    assert kernel.uses_tensor_cores
    assert kernel.load_bytes == 16
    assert kernel.shared_bytes >= 2 * 64 * 64 * 2


def test_a_configuration_that_is_refused(workers: Workers) -> None:
    text = MATMUL.replace('{"BLOCK": 32}', '{"BLOCK": 48}')
    refusal = compile_text(workers, text, torch.randn(256, 256).half()).refusal
    assert refusal is not None
    assert (refusal.kernel, refusal.line, refusal.kind) == ("matmul_kernel", 14, triton_refusals.CONSTEXPR)


def test_values_that_do_not_fit_are_spilled(workers: Workers) -> None:
    loads = [f"x{i} = tl.load(x_ptr + offsets + {i} * n)" for i in range(40)]
    uses = [f"x = x * x{i} + tl.sum(x, axis=0)" for i in range(40)]
    text = body(*loads, *uses, "tl.store(y_ptr + offsets, x)").replace("BLOCK_SIZE=128", "BLOCK_SIZE=2048")
    (kernel,) = compile_text(workers, text).kernels
    assert kernel.spill_bytes > 0
    assert kernel.registers >= 32


def test_one_kernel_for_two_types_is_compiled_twice_and_once_for_one(workers: Workers) -> None:
    again = "    kernel[(8,)](x.half(), y.half(), 7, BLOCK_SIZE=128)\n    kernel[(9,)](x, y, 1024, BLOCK_SIZE=128)\n"
    text = body("tl.store(y_ptr + offsets, 4 * x)").replace("    return y\n", f"{again}    return y\n")
    assert [kernel.load_bytes for kernel in compile_text(workers, text).kernels] == [4, 2]


STORE = "tl.store(y_ptr + offsets, x)"


@pytest.mark.parametrize(
    ("lines", "at", "kind", "reason"),
    [
        (("import math", STORE), 0, "construct", "unsupported AST node type: Import"),
        (("try:", f"    {STORE}", "except ValueError:", "    pass"), 0, "construct", "Try"),
        (("f = lambda x: x + 1", "tl.store(y_ptr + offsets, f(x))"), 0, "construct", "Lambda"),
        (("d = {'a': x}", "tl.store(y_ptr + offsets, d['a'])"), 0, "construct", "Dict"),
        (("while True:", "    break", STORE), 1, "construct", "Break"),
        (("for i in range(n):", "    if i == 3:", "        return", STORE), 1, "construct", "return"),
        (("x = y = x + 1", STORE), 0, "construct", "Simultaneous multiple assignment"),
        (("total = 0", "for i in range(n):", "    total += tl.sum(x)", "tl.store(y_ptr, total)"), 1, "loop", "total"),
        (("tl.store(y_ptr + offsets * WIDTH, x)",), 0, "global", "WIDTH"),
        (("x = np.exp(x)", STORE), 0, "function", "Unsupported function referenced"),
        (("tl.store(y_ptr + offsets, outside(x))",), 0, "function", "outside"),
        (("tl.store(y_ptr + offsets, x.to(torch.float16))",), 0, "function", "torch.dtype"),
        (("tl.store(y_ptr + offsets, unknown)",), 0, "name", "unknown is not defined"),
        (("if n > 3:", "    z = x", "tl.store(y_ptr + offsets, z)"), 2, "name", "z is not defined"),
        (("tl.store(y_ptr + tl.arange(0, 100), 0.0)",), 0, "constexpr", "power of 2"),
        (("tl.store(y_ptr + tl.arange(0, n), 0.0)",), 0, "constexpr", "constexpr"),
        (("tl.store(y_ptr, x[0])",), 0, "block", "unsupported tensor index"),
        (("if x > 0:", "    x = x + 1", STORE), 0, "block", "ambiguous"),
        (("tl.store(y_ptr, x / float(n))",), 0, "block", "float()"),
    ],
)
def test_refused_with_the_students_line(
    workers: Workers, lines: tuple[str, ...], at: int, kind: str, reason: str
) -> None:
    refusal = compile_text(workers, body(*lines)).refusal
    assert refusal is not None
    assert (refusal.kernel, refusal.line, refusal.kind) == ("kernel", FIRST_LINE + at, kind)
    assert reason in refusal.reason
    assert "\n" not in refusal.reason
    assert triton_refusals.ADVICE[kind]


def test_the_line_of_a_refusal_in_a_function_that_a_kernel_calls(workers: Workers) -> None:
    refusal = compile_text(workers, body("tl.store(y_ptr + offsets, inside(x))")).refusal
    assert refusal is not None
    assert HEAD.splitlines()[refusal.line - 1] == "    return x.no_such_thing"
    assert (refusal.kind, triton_refusals.ADVICE[refusal.kind]) == ("other", "")


def test_a_refusal_inside_of_tritons_own_functions_is_shown_where_they_are_called(workers: Workers) -> None:
    refusal = compile_text(workers, body("x = tl.sum(x, axis=5)", STORE)).refusal
    assert refusal is not None
    assert refusal.line == FIRST_LINE


def test_an_option_that_no_launch_has(workers: Workers) -> None:
    text = body(STORE).replace("BLOCK_SIZE=128)", "BLOCK_SIZE=128, num_wraps=4)")
    refusal = compile_text(workers, text).refusal
    assert refusal is not None
    assert refusal.reason == "Keyword argument num_wraps was specified but unrecognised"
    assert refusal.kind == triton_refusals.OPTION


def test_a_function_that_raises_by_itself_is_refused_by_nobody(workers: Workers) -> None:
    text = body(STORE).replace("    return y\n", "    raise ValueError('not today')\n")
    found = compile_text(workers, text)
    assert (len(found.kernels), found.refusal, found.problem) == (1, None, "ValueError: not today")


def test_a_function_that_finds_another_way_is_not_refused(workers: Workers) -> None:
    """As on a GPU, where it is free to catch what the compiler says."""
    launch = "    kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK_SIZE=100)\n"
    caught = f"    try:\n    {launch}    except Exception:\n{launch.replace('100', '64').replace('    k', '        k')}"
    text = body(STORE).replace(launch.replace("100", "128"), caught)
    found = compile_text(workers, text)
    assert (len(found.kernels), found.refusal, found.problem) == (1, None, "")


def test_what_is_launched_after_a_value_was_read_is_not_judged(workers: Workers) -> None:
    """Nothing has run, so the value is none that the function would see on a GPU."""
    text = body(STORE).replace("    return y\n", "    kernel[(1,)](x, y, 1, BLOCK_SIZE=100 + 0 * int(y[0]))\n")
    found = compile_text(workers, text)
    assert (len(found.kernels), found.refusal) == (1, None)
    assert "CompilationError" in found.problem


def test_what_a_newer_device_may_accept_is_not_refused(workers: Workers) -> None:
    found = compile_text(workers, body("tl.store(y_ptr + offsets, x.to(tl.float8e4nv).to(tl.float32))"))
    assert found.refusal is None
    assert "CompilationError" in found.problem


def test_lines_are_found_in_a_file_with_indented_kernels() -> None:
    text = "def make():\n    @triton.jit\n    def kernel(x):\n        y = 1\n        return y\n    return kernel\n"
    source = "def kernel(x):\n    y = 1\n    return y\n"
    assert [triton_refusals.line_of(source, number, text) for number in (1, 2)] == [3, 4]
    assert triton_refusals.line_of("def other(x):\n    pass\n", 1, text) == 0
