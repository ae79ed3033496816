"""Accesses at addresses that are no multiple of their size: a GPU has none."""

from __future__ import annotations

import pytest

from shared.cuda import build, compilers
from tests.shared_cuda.conftest import Device, Load

FUNCTIONS = (
    "int read_vector(const uint8_t* x, float* out, int at, cudaStream_t s)",
    "int write_double(uint8_t* x, int at, cudaStream_t s)",
    "int read_cached(const uint8_t* x, float* out, int at, cudaStream_t s)",
    "int read_shared(float* out, int at, cudaStream_t s)",
    "int on_the_host(float* out, cudaStream_t s)",
)
MISALIGNED = 716


def needs_gxx() -> None:
    """clang++ does not check the copy of a whole vector."""
    compiler = build.find_cpu_compiler()
    if compiler is not None and "clang" in compilers.version(compiler):
        pytest.skip("needs g++")


@pytest.fixture
def device(load: Load) -> Device:
    return load("alignment.cu", *FUNCTIONS)


def text_of(device: Device) -> str:
    fault = device.library.fault()
    assert fault is not None
    assert fault.kind == "memory"
    assert (fault.thread, fault.block) == ((0, 0, 0), (0, 0, 0))
    return fault.text


@pytest.mark.parametrize("at", [4, 8, 12, 1])
def test_a_misaligned_vector(device: Device, at: int) -> None:
    needs_gxx()
    assert device.call("read_vector", device.buffer("B", bytes(64), "x"), device.buffer("f", 2), at) == MISALIGNED
    assert text_of(device) == (
        "read_kernel, alignment.cu:5: thread (0,0,0) of block (0,0,0) reads 16 bytes of `x` at an "
        "address that is no multiple of 16"
    )


def test_a_misaligned_write(device: Device) -> None:
    assert device.call("write_double", device.buffer("B", bytes(64), "y"), 4) == MISALIGNED
    assert "write_kernel, alignment.cu:8:" in text_of(device)
    assert "writes 8 bytes of `y` at an address that is no multiple of 8" in text_of(device)


def test_a_misaligned_read_through_a_function_of_cuda(device: Device) -> None:
    needs_gxx()
    assert device.call("read_cached", device.buffer("B", bytes(64), "x"), device.buffer("f", 1), 4) == MISALIGNED
    assert "of `x` at an address that is no multiple of 8" in text_of(device)


def test_a_misaligned_read_of_shared_memory(device: Device) -> None:
    assert device.call("read_shared", device.buffer("f", 1), 2) == MISALIGNED
    assert "reads 4 bytes at an address that is no multiple of 4" in text_of(device)


def test_aligned_accesses(device: Device) -> None:
    x, out = device.buffer("B", bytes(64)), device.buffer("f", 2)
    assert device.call("read_vector", x, out, 16) == 0
    assert device.call("write_double", x, 8) == 0
    assert device.call("read_cached", x, out, 8) == 0
    assert device.call("read_shared", out, 4) == 0
    assert device.values("f", out, 1) == [3]
    assert device.library.fault() is None


def test_the_host_may(device: Device) -> None:
    assert device.call("on_the_host", device.buffer("f", 1)) == 0
    assert device.library.fault() is None
