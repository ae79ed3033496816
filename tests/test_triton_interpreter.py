"""The corrected interpreter computes as a GPU does.

It runs in a process of its own, because TRITON_INTERPRET is read at import.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

PRELUDE = """
import torch, triton, triton.language as tl
from shared import triton_interpreter
triton_interpreter.correct()

def run(kernel, *inputs, dtype=torch.bfloat16):
    y = torch.empty(inputs[0].shape, dtype=dtype)
    kernel[(1,)](*inputs, y, N=inputs[0].numel())
    return y
"""


def interpreted(tmp_path: Path, text: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(PRELUDE + text, encoding="utf-8")
    env = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, str(script)], check=True, env=env)


def test_bfloat16_arithmetic(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
@triton.jit
def kernel(a_ptr, b_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    y = tl.where(a < b, (a + b) * a - b, tl.maximum(a, b) / 3)
    tl.store(y_ptr + i, -y)

a = torch.randn(256).bfloat16(); b = torch.randn(256).bfloat16()
expected = -torch.where(a < b, (a + b) * a - b, torch.maximum(a, b) / 3)
error = (run(kernel, a, b).float() - expected.float()).abs()
assert error.max() <= 2**-6 * expected.float().abs().max(), error.max()
assert run(kernel, torch.ones(16).bfloat16(), torch.ones(16).bfloat16()).ne(0).all()
""",
    )


def test_constants_beside_bfloat16(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
@triton.jit
def kernel(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, 0.1 * tl.load(x_ptr + i) + 0.5)

x = torch.randn(256).bfloat16()
tenth, half = torch.tensor(0.1).bfloat16(), torch.tensor(0.5).bfloat16()  # a constant is rounded like the tensor
assert torch.equal(run(kernel, x), tenth * x + half)
""",
    )


def test_rounding_to_bfloat16_is_to_nearest_even(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
@triton.jit
def kernel(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i).to(tl.bfloat16))

@triton.jit
def implicit(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i))

x = torch.cat([torch.randn(1000) * 10.0 ** torch.randint(-30, 30, (1000,)), torch.tensor(
    [0.0, -0.0, float("inf"), -float("inf"), 3.4e38, 1e-40, 1 + 2**-8, 1 + 3 * 2**-8])])
x = torch.cat([x, torch.zeros(1024 - x.numel())])
for k in (kernel, implicit):
    assert torch.equal(run(k, x), x.bfloat16())
nan = torch.full((16,), float("nan"))
assert run(kernel, nan).isnan().all()
""",
    )


def test_sums_and_products_of_bfloat16(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
@triton.jit
def total(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, tl.exp((x - tl.max(x, axis=0)).to(tl.float32)) + tl.sum(x, axis=0))

@triton.jit
def product(a_ptr, b_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    tl.store(y_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))

x = torch.randn(64).bfloat16()
expected = torch.exp(x.float() - x.float().max()) + x.float().sum()
assert torch.allclose(run(total, x, dtype=torch.float32), expected, rtol=2e-2, atol=2e-2)
a, b = torch.randn(16, 16).bfloat16(), torch.randn(16, 16).bfloat16()
assert torch.allclose(run(product, a, b, dtype=torch.float32), a.float() @ b.float(), atol=1e-4)
""",
    )


def test_float32_and_float16_are_left_alone(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
@triton.jit
def kernel(a_ptr, b_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(a_ptr + i) * tl.load(b_ptr + i) + 1)

for dtype in (torch.float32, torch.float16):
    a, b = torch.randn(64).to(dtype), torch.randn(64).to(dtype)
    assert torch.allclose(run(kernel, a, b, dtype=dtype), a * b + 1, rtol=2e-3)
""",
    )


def test_autotuned_kernels_and_device_queries_work(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32}, num_warps=2)], key=["n"])
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)

x = torch.randn(100); y = torch.empty_like(x)
kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, y, 100)
assert torch.equal(y, 2 * x)
device = triton.runtime.driver.active.get_active_torch_device()
assert device.type == "cpu"
assert triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"] > 1
""",
    )


def test_names_may_be_imported_from_the_language(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
from triton.language import arange, load, program_id as pid_of, store, constexpr
from triton import language as L
del tl

@triton.autotune(configs=[triton.Config({"BLOCK": 16})], key=[], warmup=1, rep=1)
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: constexpr):
    i = pid_of(0) * BLOCK + arange(0, BLOCK)
    store(y_ptr + i, L.exp(load(x_ptr + i, mask=i < n)), mask=i < n)

x = torch.randn(50); y = torch.empty_like(x)
for _ in range(2):
    kernel[(4,)](x, y, 50)
assert torch.allclose(y, x.exp())
""",
    )


def test_and_and_or_of_blocks_are_taken_lane_by_lane(tmp_path: Path) -> None:
    interpreted(
        tmp_path,
        """
@triton.jit
def kernel(x_ptr, y_ptr, M, N, WIDE: tl.constexpr):
    row, col = tl.arange(0, 4)[:, None], tl.arange(0, 8)[None, :]
    inside = (row < M) and (col < N)
    x = tl.load(x_ptr + row * N + col, mask=inside, other=-1.0)
    if (tl.program_id(0) == 0 and not WIDE) or M > 100:
        tl.store(y_ptr + row * 8 + col, x, mask=row < M or col < N)

x, y = torch.randn(3, 5), torch.full((4, 8), 7.0)
kernel[(2,)](x, y, 3, 5, WIDE=False)
expected = torch.full((4, 8), -1.0)
expected[:3, :5] = x
expected[3, 5:] = 7
assert torch.equal(y, expected), y
""",
    )
