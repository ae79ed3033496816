"""Kernels run on the CPU, against values computed in plain Python."""

from __future__ import annotations

import math
import random
import struct

import pytest

from tests.shared_cuda.conftest import Load

MATMUL = "int matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t s)"
GELU = "int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream)"
SUM = "int sum(const float* x, float* out, int n, cudaStream_t stream)"
FEATURES = (
    "int axpy(float* y, const float* x, int n, cudaStream_t stream)",
    "int dynamic(float* out, int n, cudaStream_t stream)",
    "int vote(int* out, cudaStream_t stream)",
    "int last_block(int* out, cudaStream_t stream)",
    "int halves(half* y, const half* x, int n, cudaStream_t stream)",
    "int lock(int* out, cudaStream_t stream)",
    "int scopes(int* out, cudaStream_t stream)",
    "int structs(float* out, cudaStream_t stream)",
    "int math(float* out, cudaStream_t stream)",
    "int early(float* out, int n, cudaStream_t stream)",
    "int pointer(float* out, int use, cudaStream_t stream)",
    "int device(int* host_out, cudaStream_t stream)",
    "int large(float* out, cudaStream_t stream)",
    "int launch_function(float* out, float factor, cudaStream_t stream)",
)


def numbers(count: int, seed: int = 0) -> list[float]:
    """Return normal numbers that a float holds exactly."""
    generator = random.Random(seed)
    values = [generator.gauss(0, 1) for _ in range(count)]
    return list(struct.unpack(f"{count}f", struct.pack(f"{count}f", *values)))


@pytest.mark.parametrize("file", ["gelu.cu", "gelu_float4.cu"])
@pytest.mark.parametrize("count", [1, 255, 1003])
def test_gelu(load: Load, file: str, count: int) -> None:
    device = load(file, GELU)
    x = numbers(count)
    out = device.buffer("f", count, "out")
    assert device.call("gelu", device.buffer("f", x), out, count) == 0
    expected = [v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in x]
    assert device.values("f", out, count) == pytest.approx(expected, abs=1e-6)
    assert device.library.fault() is None
    assert device.library.overruns() == []


@pytest.mark.parametrize(
    ("file", "m", "n", "k"),
    [("matmul_tiled.cu", 19, 33, 21), ("matmul_registers.cu", 64, 128, 32)],
)
def test_matmul(load: Load, file: str, m: int, n: int, k: int) -> None:
    device = load(file, MATMUL)
    a, b = numbers(m * k), numbers(k * n, 1)
    c = device.buffer("f", m * n)
    assert device.call("matmul", device.buffer("f", a), device.buffer("f", b), c, m, n, k) == 0
    columns = [b[j::n] for j in range(n)]
    expected = [
        sum(x * y for x, y in zip(a[i * k : i * k + k], columns[j], strict=True)) for i in range(m) for j in range(n)
    ]
    assert device.values("f", c, m * n) == pytest.approx(expected, abs=1e-4)


def test_softmax(load: Load) -> None:
    device = load("softmax.cu", "int softmax(const float* x, float* out, int r, int c, cudaStream_t s)")
    rows, cols = 3, 301
    x = numbers(rows * cols)
    out = device.buffer("f", rows * cols)
    assert device.call("softmax", device.buffer("f", x), out, rows, cols) == 0
    expected = []
    for row in range(rows):
        powers = [math.exp(v) for v in x[row * cols : (row + 1) * cols]]
        expected += [power / sum(powers) for power in powers]
    assert device.values("f", out, rows * cols) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("file", "count"), [("reduction.cu", 1000), ("groups.cu", 101)])
def test_sums(load: Load, file: str, count: int) -> None:
    device = load(file, SUM)
    x = numbers(count)
    out = device.buffer("f", 1)
    assert device.call("sum", device.buffer("f", x), out, count) == 0
    assert device.values("f", out, 1) == pytest.approx([math.fsum(x)], abs=1e-4)


def test_tiles_smaller_than_a_warp(load: Load) -> None:
    device = load("groups.cu", "int fours(const float* x, float* out, cudaStream_t stream)")
    out = device.buffer("f", 8)
    assert device.call("fours", device.buffer("f", range(32)), out) == 0
    assert device.values("f", out, 8) == [16 * i + 6 for i in range(8)]


def test_template_kernel_in_a_namespace(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    y = device.buffer("f", [1, 2, 3])
    assert device.call("axpy", y, device.buffer("f", [10, 20, 30]), 3) == 0
    assert device.values("f", y, 3) == [11, 22, 33]


def test_dynamic_shared_memory_at_namespace_scope(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("f", 8)
    assert device.call("dynamic", out, 8) == 0
    assert device.values("f", out, 8) == [i + 2 * (7 - i) for i in range(8)]


def test_votes_and_printf(load: Load, capfd: pytest.CaptureFixture[str]) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("i", [0, 0, -1, 0])
    assert device.call("vote", out) == 0
    assert device.values("i", out, 4) == [11, 10, 31, 10]
    assert capfd.readouterr().out == "from a kernel: 10\n"


def test_the_last_block_finishes(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("i", 1)
    for _ in range(2):
        assert device.call("last_block", out) == 0
        assert device.values("i", out, 1) == [6]


def test_half_rounds_each_operation(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    x = [0.1, -3.0, 255.9, 6e-8, 65504.0, 1e-5]
    y = device.buffer("e", len(x))
    assert device.call("halves", y, device.buffer("e", x), len(x)) == 0
    exact = struct.unpack("6e", struct.pack("6e", *x))

    def rounded(value: float) -> float:
        try:
            return float(struct.unpack("e", struct.pack("e", value))[0])
        except OverflowError:
            return math.inf

    expected = [rounded(rounded(2 * v) + rounded(v * v)) for v in exact]
    assert device.values("e", y, len(x)) == expected


def test_a_spin_lock_ends(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("i", [0])
    assert device.call("lock", out) == 0
    assert device.values("i", out, 1) == [128]


def test_shared_variables_in_templates_and_at_namespace_scope(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("i", 2)
    assert device.call("scopes", out) == 0
    assert device.values("i", out, 2) == [3293, 3293]


def test_shared_structs_and_unions(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("f", 2)
    assert device.call("structs", out) == 0
    assert device.values("f", out, 2) == [42.5, 1.0]


def test_overloads_of_the_math_functions(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("f", 4)
    assert device.call("math", out) == 0
    second = 2 * math.tanh(0.5) + math.e + 0.5
    assert device.values("f", out, 4) == pytest.approx([5 + 1 + 2**32 - 1, second, 5.75, 9.5])


def test_threads_that_ended_do_not_hold_up_a_barrier(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("f", 50)
    assert device.call("early", out, 50) == 0
    assert device.values("f", out, 50) == list(range(49, -1, -1))


def test_launches_through_pointers_and_without_braces(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("f", 6)
    for use, value in ((1, 4.0), (0, 5.0)):
        assert device.call("pointer", out, use) == 0
        assert device.values("f", out, 6) == [value] * 6


def test_device_properties_and_events(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("i", 4)
    assert device.call("device", out) == 0
    assert device.values("i", out, 4) == [132, 1024, 1024, 1]


def test_much_dynamic_shared_memory(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("f", 1)
    assert device.call("large", out) == 0
    assert device.values("f", out, 1) == [4096]


def test_cuda_launch_kernel(load: Load) -> None:
    device = load("features.cu", *FEATURES)
    out = device.buffer("f", 8)
    assert device.call("launch_function", out, 1.5) == 0
    assert device.values("f", out, 8) == [1.5 * i for i in range(8)]
