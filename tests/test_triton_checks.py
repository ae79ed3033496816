"""Every access of an interpreted kernel is checked: planted bugs are named, and odd kernels that are right pass.

They run in another process, because TRITON_INTERPRET is read at import. OTHER_TRITON names folders with another Triton
(and a numpy that it works with) to run them with: `pip install --no-deps --target FOLDER triton==3.5.1`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.boundary.replies import check_form, raised
from grader.records import Visibility

ROOT = Path(__file__).parent.parent
OTHER_TRITON = "OTHER_TRITON"

PRELUDE = """
import torch, triton, triton.language as tl
from shared import triton_checks

@triton.jit
def copy(x_ptr, y_ptr, x_stride, y_stride, n, BLOCK: tl.constexpr):
    row, col = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + col, mask=col < n)
    tl.store(y_ptr + row * y_stride + col, x, mask=col < n)

def begin(*lent):
    triton_checks.begin(lent)
    return lent[0] if len(lent) == 1 else lent

"""

BUGS: dict[str, tuple[str, str, str]] = {
    "no mask on a load": (
        """
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)  # BUG
    tl.store(y_ptr + i, x, mask=i < n)
kernel[(2,)](torch.zeros(20), torch.empty(20), 20, BLOCK=16)
""",
        "memory",
        "program (1,) loads x_ptr[20 … 31] (12 of 16 active lanes); x_ptr has 20 elements. Mask these lanes",
    ),
    "no mask on a store": (
        """
@triton.jit
def kernel(y_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, 1.0)  # BUG
kernel[(2,)](torch.empty(31), BLOCK=16)
""",
        "memory",
        "program (1,) stores y_ptr[31] (1 of 16 active lanes); y_ptr has 31 elements",
    ),
    "before the first element": (
        """
@triton.jit
def kernel(x_ptr, y_ptr):
    x = tl.load(x_ptr - 1 + tl.program_id(0))  # BUG
    tl.store(y_ptr + tl.program_id(0), x)
kernel[(4,)](torch.zeros(4), torch.empty(4))
""",
        "memory",
        "program (0,) loads x_ptr[-1] (1 of 1 active lanes); x_ptr has 4 elements. Look at how the offsets",
    ),
    "into the neighbour": (
        """
@triton.jit
def kernel(x_ptr, distance):
    tl.store(x_ptr + distance, 1.0)  # BUG
both = torch.zeros(2, 4096)
x, y = both[0].clone(), both[1].clone()
kernel[(1,)](x, (y.data_ptr() - x.data_ptr()) // 4)
""",
        "memory",
        "x_ptr has 4096 elements",
    ),
    "terabytes away": (
        """
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, d_ptr, e_ptr, f_ptr, far):
    tl.load(b_ptr + far)  # BUG
kernel[(1,)](*(torch.zeros(4) for _ in range(6)), 10**12)
""",
        "memory",
        "loads b_ptr[1000000000000]",
    ),
    "an address as a number": (
        """
@triton.jit
def kernel(address, BLOCK: tl.constexpr):
    tl.load(address.to(tl.pointer_type(tl.float32)) + tl.arange(0, BLOCK))  # BUG
x = torch.zeros(8)
kernel[(1,)](x.data_ptr(), BLOCK=8)
""",
        "memory",
        "uses an address made from no tensor argument",
    ),
    "grid too large, in two dimensions": (
        """
@triton.jit
def kernel(y_ptr, n):
    at = tl.program_id(1) * n + tl.program_id(0)
    tl.store(y_ptr + at, 1)  # BUG
kernel[(3, 5)](torch.empty(3, 4, dtype=torch.int32), 3)
""",
        "memory",
        "program (0, 4) stores y_ptr[12]",
    ),
    "stride in bytes": (
        """
@triton.jit
def kernel(x_ptr, y_ptr, stride):
    i = tl.arange(0, 8)
    x = tl.load(x_ptr + i * stride)  # BUG
    tl.store(y_ptr + i, x)
kernel[(1,)](torch.zeros(8, dtype=torch.float16), torch.zeros(8), 2)
""",
        "memory",
        "loads x_ptr[8 … 14] (4 of 8 active lanes); x_ptr has 8 elements",
    ),
    "an atomic outside": (
        """
@triton.jit
def kernel(x_ptr):
    tl.atomic_add(x_ptr + tl.arange(0, 8), 1)  # BUG
kernel[(1,)](torch.zeros(7, dtype=torch.int32))
""",
        "memory",
        "updates x_ptr[7] (1 of 8 active lanes)",
    ),
    "block pointer without a boundary check": (
        """
@triton.jit
def kernel(x_ptr, y_ptr, M, N):
    block = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (0, 0), (4, 8), (1, 0))
    x = tl.load(block)  # BUG
    tl.store(y_ptr, tl.sum(x))
kernel[(1,)](torch.zeros(3, 8), torch.zeros(1), 3, 8)
""",
        "memory",
        "loads x_ptr[24 … 31] (8 of 32 active lanes)",
    ),
    "in a function of the kernel": (
        """
@triton.jit
def inner(ptr, i):
    return tl.load(ptr + i)  # BUG
@triton.jit
def kernel(x_ptr, y_ptr):
    tl.store(y_ptr, inner(x_ptr, 9))
kernel[(1,)](torch.zeros(9), torch.zeros(1))
""",
        "memory",
        "program (0,) loads x_ptr[9]",
    ),
    "a wider type over the end": (
        """
@triton.jit
def kernel(x_ptr):
    wide = x_ptr.to(tl.pointer_type(tl.int64))
    tl.load(wide + 1)  # BUG
kernel[(1,)](torch.zeros(3, dtype=torch.int32))
""",
        "memory",
        "loads x_ptr[2] (1 of 1 active lanes); x_ptr has 3 elements",
    ),
    "an empty tensor": (
        """
@triton.jit
def kernel(x_ptr):
    tl.load(x_ptr)  # BUG
kernel[(1,)](torch.zeros(0))
""",
        "memory",
        "x_ptr has 0 elements",
    ),
    "one of two tensors of a select": (
        """
@triton.jit
def kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.load(tl.where(i < 4, x_ptr + i, y_ptr + i))  # BUG
kernel[(1,)](torch.zeros(4), torch.zeros(7), BLOCK=8)
""",
        "memory",
        "loads y_ptr[7] (1 of 4 active lanes); y_ptr has 7 elements",
    ),
    "a tensor of a tuple": (
        """
@triton.jit
def kernel(pair):
    tl.load(pair[1] + 3)  # BUG
kernel[(1,)]((torch.zeros(4), torch.zeros(3)))
""",
        "memory",
        "loads pair[1][3]",
    ),
    "padding read": (
        """
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * n + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=tl.arange(0, BLOCK) < n)  # BUG
    tl.store(y_ptr + i, x, mask=tl.arange(0, BLOCK) < n)
kernel[(3,)](begin(torch.zeros(3, 16)[:, :10]), torch.zeros(3, 10), 10, BLOCK=16)
""",
        "padding",
        "program (1,) reads the padding between rows: x_ptr[10 … 15] (6 of 10 active lanes); "
        "the tensor has shape (3, 10) and strides (16, 1)",
    ),
    "padding written": (
        """
@triton.jit
def kernel(y_ptr):
    tl.store(y_ptr + tl.arange(0, 16), 0.0)  # BUG
kernel[(1,)](begin(torch.zeros(3, 16)[:, :10]))
""",
        "padding",
        "writes the padding between rows: y_ptr[10 … 15] (6 of 16 active lanes)",
    ),
    "between the elements of every second": (
        """
@triton.jit
def kernel(x_ptr):
    tl.load(x_ptr + tl.arange(0, 8))  # BUG
kernel[(1,)](begin(torch.zeros(20)[::2]))
""",
        "padding",
        "reads what lies between elements: x_ptr[1 … 7] (4 of 8 active lanes)",
    ),
    "two programs, two values": (
        """
@triton.jit
def kernel(y_ptr):
    tl.store(y_ptr + tl.program_id(0) // 2, tl.program_id(0))  # BUG
kernel[(4,)](torch.zeros(2, dtype=torch.int32))
""",
        "race",
        "program (1,) stores to y_ptr[0] another value than program (0,) did",
    ),
    "two arguments, one tensor": (
        """
@triton.jit
def kernel(x_ptr, y_ptr):
    pid = tl.program_id(0)
    if pid == 0:
        tl.store(x_ptr + 4, 1)
    else:
        tl.store(y_ptr, 2)  # BUG
x = torch.zeros(8, dtype=torch.int32)
kernel[(2,)](x, x[4:])
""",
        "race",
        "program (1,) stores to y_ptr[0] another value than program (0,) did",
    ),
    "two values in one store": (
        """
@triton.jit
def kernel(y_ptr):
    i = tl.arange(0, 8)
    tl.store(y_ptr + i % 4, i)  # BUG
kernel[(1,)](torch.zeros(4, dtype=torch.int32))
""",
        "race",
        "stores to y_ptr[0] several values in one store",
    ),
    "a bad address after a race": (
        """
@triton.jit
def kernel(y_ptr):
    i = tl.program_id(0) * 6 + tl.arange(0, 8)
    tl.store(y_ptr + i, i + tl.program_id(0))  # BUG
kernel[(3,)](torch.zeros(18, dtype=torch.int64))
""",
        "memory",
        "program (2,) stores y_ptr[18 … 19]",
    ),
}

COUNTED = {
    "bytes of active lanes": """
begin()
copy[(3,)](torch.zeros(3, 10), torch.zeros(3, 10), 10, 10, 10, BLOCK=16)
copy[(3,)](torch.zeros(3, 10).half(), torch.zeros(3, 10), 10, 10, 10, BLOCK=16)
call = triton_checks.current()
assert (call.launches, call.bytes_loaded, call.bytes_stored) == (2, 30 * 4 + 30 * 2, 2 * 30 * 4)
begin()
assert triton_checks.current().launches == 0
""",
    "trials of autotuning are not counted": """
@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"])
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
begin()
kernel[lambda meta: (triton.cdiv(40, meta["BLOCK"]),)](torch.zeros(40), torch.zeros(40), 40)
call = triton_checks.current()
assert (call.launches, call.bytes_loaded, call.bytes_stored) == (1, 160, 160)
""",
    "a fault stays where it is caught": """
begin()
try:
    copy[(1,)](torch.zeros(4), torch.zeros(4), 4, 4, 5, BLOCK=8)
except Exception:
    pass
assert triton_checks.current().fault.kind == "memory"
copy[(1,)](torch.zeros(4), torch.zeros(4), 4, 4, 4, BLOCK=8)
assert "x_ptr[4]" in str(triton_checks.current().fault)
""",
}

RIGHT: dict[str, str] = {
    "far addresses of lanes that are masked out": """
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.int64)
    far = tl.where(i < n, i, i * 10**15)
    tl.store(y_ptr + far, tl.load(x_ptr + far, mask=i < n, other=7.0) + 1, mask=i < n)
x, y = torch.randn(5), torch.zeros(5)
kernel[(1,)](x, y, 5, BLOCK=8)
assert torch.equal(y, x + 1)
""",
    "an element before a slice": """
@triton.jit
def kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i - 1))
x, y = torch.randn(9), torch.zeros(8)
kernel[(1,)](x[1:], y, BLOCK=8)
assert torch.equal(y, x[:8])
""",
    "the padding of one's own scratch": """
scratch = torch.zeros(4, 16)
x = begin(torch.randn(4, 10))
copy[(4,)](x, scratch[:, :10], 10, 16, 10, BLOCK=16)
y = torch.zeros(4, 16)
copy[(4,)](scratch[:, :10], y, 16, 16, 16, BLOCK=16)
assert torch.equal(y[:, :10], x) and not y[:, 10:].any()
""",
    "a transposed view, and rows in reverse": """
@triton.jit
def kernel(x_ptr, y_ptr, M, N, BLOCK: tl.constexpr):
    row, col = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + (N - 1 - col) * M, mask=col < N)
    tl.store(y_ptr + row * N + col, x, mask=col < N)
x = begin(torch.randn(7, 5).T)
y = torch.zeros(5, 7)
kernel[(5,)](x, y, 5, 7, BLOCK=8)
assert torch.equal(y, x.flip(1))
""",
    "two views of one storage, whole and part": """
whole = torch.randn(4, 16)
x, part = begin(whole, whole[:, :10])
y = torch.zeros(4, 16)
copy[(4,)](part, y, 16, 16, 16, BLOCK=16)
assert torch.equal(y, x)
""",
    "in place": """
x = torch.arange(32.0).view(2, 16)
copy[(2,)](x, x, 16, 16, 16, BLOCK=16)
assert torch.equal(x, torch.arange(32.0).view(2, 16))
""",
    "the same value from all programs, NaN too": """
@triton.jit
def kernel(y_ptr):
    tl.store(y_ptr + tl.arange(0, 2), float("nan"))
    tl.store(y_ptr + 2 + 0 * tl.arange(0, 4), 3.0)
y = torch.zeros(3)
kernel[(4,)](y)
assert y[:2].isnan().all() and y[2] == 3
""",
    "one program stores twice": """
@triton.jit
def kernel(y_ptr):
    for i in range(3):
        tl.store(y_ptr + tl.program_id(0), i)
y = torch.zeros(4, dtype=torch.int32)
kernel[(4,)](y)
assert y.eq(2).all()
""",
    "several programs in order by a lock": """
@triton.jit
def kernel(lock_ptr, y_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(y_ptr, tl.load(y_ptr) + 1)
    tl.atomic_xchg(lock_ptr, 0)
y = torch.zeros(1)
kernel[(5,)](torch.zeros(1, dtype=torch.int32), y)
assert y == 5
""",
    "atomics into one element": """
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(y_ptr + 0 * i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
x, y = torch.ones(100), torch.zeros(1)
kernel[(4,)](x, y, 100, BLOCK=32)
assert y == 100
""",
    "lanes that choose between two tensors": """
@triton.jit
def kernel(a_ptr, b_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(tl.where(i % 2 == 0, a_ptr + i, b_ptr + i), mask=i < 6, other=-1.0)
    tl.store(tl.where(i < 4, y_ptr + i, z_ptr + i - 4), x)
a, b, y, z = torch.zeros(6), torch.ones(6), torch.empty(4), torch.empty(4)
kernel[(1,)](a, b, y, z, BLOCK=8)
assert y.tolist() == [0, 1, 0, 1] and z.tolist() == [0, 1, -1, -1]
""",
    "an empty launch, and nothing active": """
copy[(0,)](torch.zeros(4), torch.zeros(4), 4, 4, 4, BLOCK=4)
copy[(2,)](torch.zeros(0), torch.zeros(0), 0, 0, 0, BLOCK=4)
""",
    "rows two billion elements apart": """
@triton.jit
def kernel(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row, col = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    tl.store(y_ptr + row * n + col, tl.load(x_ptr + row * stride + col, mask=col < n), mask=col < n)
import mmap
memory = torch.frombuffer(mmap.mmap(-1, 2**33 + 64), dtype=torch.uint8)  # pages that nobody touches take no memory
x = begin(memory.view(torch.float16).as_strided((5, 12), (2**30, 1)))
for i in range(5):
    x[i] = i
y = torch.zeros(5, 12, dtype=torch.float16)
kernel[(5,)](x, y, 2**30, 12, BLOCK=16)
assert torch.equal(x, y)
""",
    "a grid of the kernel's own arguments": """
@triton.jit
def kernel(y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, i, mask=i < n)
y = torch.zeros(100)
kernel[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](y, 100, BLOCK=16)
assert torch.equal(y, torch.arange(100.0))
""",
    "bits through another type": """
@triton.jit
def kernel(x_ptr, y_ptr):
    i = tl.arange(0, 4)
    pairs = tl.load(x_ptr.to(tl.pointer_type(tl.int32)) + i)
    tl.store(y_ptr + i, pairs)
x, y = begin(torch.randn(8).half()), torch.zeros(4, dtype=torch.int32)
kernel[(1,)](x, y)
assert torch.equal(y, x.view(torch.int32))
""",
}


RUNNER = """
import json, os, runpy, sys, traceback
from shared import triton_checks, triton_interpreter
triton_interpreter.correct()
triton_interpreter.warm_up()

def run(path):
    try:
        runpy.run_path(path)
    except triton_checks.KernelFault as fault:
        assert triton_checks.current().fault is fault
        return [fault.kind, str(fault)]
    except BaseException:
        return ["error", traceback.format_exc()]
    return ["right", ""]

for path in sys.argv[1:]:
    if os.fork() == 0:
        with open(path + ".json", "w") as file:
            json.dump(run(path), file)
        os._exit(0)
    os.wait()
"""
"""Runs each script in a fork, so that importing Triton is paid for once."""

Outcome = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("kernels")
    texts = {**{name: text for name, (text, _, _) in BUGS.items()}, **RIGHT, **COUNTED}
    paths = {name: folder / f"{number}.py" for number, name in enumerate(texts)}
    for name, text in texts.items():
        paths[name].write_text(PRELUDE + text, encoding="utf-8")
    path = os.pathsep.join([*filter(None, [os.environ.get(OTHER_TRITON)]), str(ROOT)])
    env = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": path}
    subprocess.run([sys.executable, "-c", RUNNER, *map(str, paths.values())], check=True, env=env)

    def found(name: str) -> list[str]:
        result: list[str] = json.loads(paths[name].with_suffix(".py.json").read_text())
        return result

    return found


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_named(outcome: Outcome, name: str) -> None:
    text, kind, expected = BUGS[name]
    line = next(n for n, row in enumerate((PRELUDE + text).splitlines(), start=1) if "# BUG" in row)
    found, said = outcome(name)
    if "have been removed" in said:
        pytest.skip("this Triton has no block pointers")
    assert found == kind, said
    assert said.startswith(f"line {line}: ")
    assert expected in said


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_passes(outcome: Outcome, name: str) -> None:
    assert outcome(name) == ["right", ""]


@pytest.mark.parametrize("name", COUNTED)
def test_counts(outcome: Outcome, name: str) -> None:
    assert outcome(name) == ["right", ""]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("memory", "memory_error"),
        ("padding", "memory_error"),
        ("uninitialised", "memory_error"),
        ("race", "race"),
        ("x", "runtime_error"),
    ],
)
def test_of_a_hidden_case_only_the_kind_and_the_line_are_shown(kind: str, status: str) -> None:
    """The text comes from the submission's process: it could be made of a hidden input."""
    reply = {
        "op": "raised",
        "type": "KernelFault",
        "message": "seventeen",
        "frames": [[2, "kernel", "seventeen"]],
        "not_implemented": False,
        "fault": {"kind": kind, "text": "seventeen"},
    }
    check_form("call", reply)
    finding = raised(reply, "a.py", "def kernel():\n    load()").finding
    assert finding.status.value == status
    assert finding.details == "seventeen"
    shown = finding.seen_as(Visibility.PATTERN)
    assert "seventeen" not in f"{shown.summary}{shown.diagnosis}{shown.details}{shown.lines}"
    assert shown.lines == ("a.py:2 in kernel: load()",)
