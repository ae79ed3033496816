"""Kernels that do wrong, and what is told of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shared.cuda import build, prototype
from shared.cuda.library import Fault, error_text
from tests.shared_cuda.conftest import KERNELS, Device, Load

FUNCTIONS = (
    "int write_at(float* x, int64_t at, cudaStream_t s)",
    "int read_at(const float* x, float* out, int64_t at, cudaStream_t s)",
    "int after_free(float* out, cudaStream_t s)",
    "int divide(int* x, int by, cudaStream_t s)",
    "int trap(cudaStream_t s)",
    "int assertion(int limit, cudaStream_t s)",
    "int shuffle(float* x, cudaStream_t s)",
    "int own_lane(float* x, cudaStream_t s)",
    "int stack(float* x, cudaStream_t s)",
    "int configuration(float* x, int gx, int gy, int bx, int bz, int shared, int* last, cudaStream_t s)",
    "int copy_too_much(float* x, int64_t bytes, cudaStream_t s)",
    "int attribute(float* x, int bytes, int of_this, cudaStream_t s)",
    "int static_shared(uint8_t* x, cudaStream_t s)",
)
ILLEGAL_ADDRESS, ASSERT, LAUNCH_FAILURE = 700, 710, 719
INVALID_VALUE, INVALID_CONFIGURATION = 1, 9


@pytest.fixture
def device(load: Load) -> Device:
    return load("faults.cu", *FUNCTIONS)


def fault_of(device: Device) -> Fault:
    fault = device.library.fault("faults.cu")
    assert fault is not None
    return fault


def test_a_write_past_the_end(device: Device) -> None:
    x = device.buffer("f", 64, "activations")
    assert device.call("write_at", x, 62) == ILLEGAL_ADDRESS
    fault = fault_of(device)
    assert (fault.kind, fault.kernel) == ("memory", "write_kernel")
    assert (fault.thread, fault.block) == ((2, 0, 0), (0, 0, 0))
    assert fault.text == (
        "write_kernel, faults.cu:5: thread (2,0,0) of block (0,0,0) writes activations[64]: "
        "`activations` has 64 elements"
    )


def test_the_next_call_starts_afresh(device: Device) -> None:
    x = device.buffer("f", 64)
    assert device.call("write_at", x, 1 << 20) == ILLEGAL_ADDRESS
    assert device.call("write_at", x, 0) == 0
    assert device.library.fault() is None


@pytest.mark.parametrize(
    ("at", "where"),
    [
        (1000, "reads x[1000]: `x` has 64 elements"),
        (-100_000, "reads x[-100000]: `x` has 64 elements"),
        (-(1 << 40), "where no device memory is"),
        (1 << 61, "where no device memory is"),
    ],
)
def test_a_bad_read(device: Device, at: int, where: str) -> None:
    x, out = device.buffer("f", 64), device.buffer("f", 1)
    assert device.call("read_at", x, out, at) == ILLEGAL_ADDRESS
    assert where in fault_of(device).text


def test_a_null_pointer(device: Device) -> None:
    assert device.call("write_at", 0, 0) == ILLEGAL_ADDRESS
    assert "writes through a null pointer" in fault_of(device).text


def test_a_freed_buffer(device: Device) -> None:
    assert device.call("after_free", device.buffer("f", 1)) == ILLEGAL_ADDRESS
    assert "after it was freed" in fault_of(device).text


def test_an_overrun_too_small_for_the_guard_page(device: Device) -> None:
    x = device.buffer("f", 60, "x")
    assert device.call("write_at", x, 58) == ILLEGAL_ADDRESS
    assert "writes x[60]: `x` has 60 elements" in fault_of(device).text
    assert device.library.overruns() == [], "it is refused before it is made"


def test_an_underrun(device: Device) -> None:
    x = device.buffer("f", 64, "x")
    assert device.call("write_at", x, -3) == ILLEGAL_ADDRESS
    assert "writes x[-3]" in fault_of(device).text
    assert device.library.underruns() == []


def test_a_division_by_zero(device: Device) -> None:
    assert device.call("divide", device.buffer("i", 1), 0) == LAUNCH_FAILURE
    assert fault_of(device).kind == "arithmetic"


def test_a_trap(device: Device) -> None:
    assert device.call("trap") == LAUNCH_FAILURE
    fault = fault_of(device)
    assert (fault.kind, fault.thread) == ("trap", (3, 0, 0))


def test_an_assertion(device: Device) -> None:
    assert device.call("assertion", 8) == 0
    assert device.call("assertion", 5) == ASSERT
    fault = fault_of(device)
    assert (fault.kind, fault.thread) == ("assert", (5, 0, 0))
    assert 'limit && "too many"` at faults.cu:11' in fault.text


def test_a_launch_in_a_kernel(load: Load) -> None:
    device = load("nested.cu", "int nested(float* x, cudaStream_t stream)")
    assert device.call("nested", device.buffer("f", 1)) != 0
    assert fault_of(device).kind == "unsupported"


def test_a_shuffle_that_half_the_warp_misses(device: Device) -> None:
    assert device.call("shuffle", device.buffer("f", 32)) == LAUNCH_FAILURE
    fault = fault_of(device)
    assert fault.kind == "warp"
    assert "waits in __shfl_down_sync() with the mask 0xffffffff" in fault.text
    assert "waiting at __syncthreads(): lanes 16,17" in fault.text


def test_a_mask_without_the_own_lane(device: Device) -> None:
    assert device.call("own_lane", device.buffer("f", 32)) == LAUNCH_FAILURE
    fault = fault_of(device)
    assert (fault.kind, fault.thread) == ("warp", (16, 0, 0))
    assert "leaves out its own lane 16" in fault.text


def test_a_local_array_that_is_too_large(device: Device) -> None:
    assert device.call("stack", device.buffer("f", 1)) == ILLEGAL_ADDRESS
    assert fault_of(device).kind == "memory"


@pytest.mark.parametrize(
    ("values", "code", "text"),
    [
        ((0, 1, 1, 1, 0), INVALID_CONFIGURATION, "a grid of no blocks"),
        ((1, 65536, 1, 1, 0), INVALID_CONFIGURATION, "grid.z of more than 65535"),
        ((1, 1, 0, 1, 0), INVALID_CONFIGURATION, "a block of no threads"),
        ((1, 1, 1025, 1, 0), INVALID_CONFIGURATION, "more than 1024 threads"),
        ((1, 1, 1, 65, 0), INVALID_CONFIGURATION, "block.z of more than 64"),
        ((1, 1, 1, 1, 49153), INVALID_VALUE, "need cudaFuncSetAttribute"),
        ((1, 1, 1, 1, 232449), INVALID_VALUE, "a block has at most 232448"),
    ],
)
def test_a_bad_launch(device: Device, values: tuple[int, ...], code: int, text: str) -> None:
    last = device.buffer("i", 1)
    assert device.call("configuration", device.buffer("f", 1), *values, last) == code
    assert device.values("i", last, 1) == [0], "such an error is cleared when it is read"
    fault = fault_of(device)
    assert (fault.kind, fault.kernel, fault.thread) == ("launch", "plain_kernel", None)
    assert text in fault.text


def test_limits_are_within_bounds(device: Device) -> None:
    last = device.buffer("i", 1)
    x = device.buffer("f", 1024)
    assert device.call("configuration", x, 2, 2, 1024, 1, 49152, last) == 0


def test_a_copy_past_the_end(device: Device) -> None:
    assert device.call("copy_too_much", device.buffer("f", 4, "x"), 17) == INVALID_VALUE
    assert fault_of(device).text == ("cudaMemcpy of 17 bytes from byte 0 on leaves the buffer `x`, which has 16 bytes")


def test_the_attribute_must_be_the_kernels_own(device: Device) -> None:
    x = device.buffer("f", 1)
    assert device.call("attribute", x, 60_000, 0) == INVALID_VALUE
    assert device.call("attribute", x, 60_000, 1) == 0


def test_too_much_static_shared_memory(device: Device) -> None:
    assert device.call("static_shared", device.buffer("B", 1)) != 0
    fault = fault_of(device)
    assert fault.kind == "launch"
    assert "static shared memory to 51200 bytes" in fault.text


def test_a_null_pointer_in_host_code_ends_the_process(cache_dir: Path, tmp_path: Path) -> None:
    declaration = "int host_null(float* x, cudaStream_t s)"
    source = (KERNELS / "faults.cu").read_text()
    path = build.build_cpu(source, "faults.cu", [prototype.parse(declaration)], tmp_path, cache_dir, timeout_s=60)
    text = (
        "import sys; from pathlib import Path; from shared.cuda import library, prototype; "
        f"device = library.CpuLibrary(Path(sys.argv[1]), [prototype.parse({declaration!r})]); "
        "device.call('host_null', [device.allocate(4, 'x')])"
    )
    command = [sys.executable, "-c", text, str(path)]
    outcome = subprocess.run(command, cwd=Path(build.__file__).parents[2], check=False)
    assert outcome.returncode == -signal.SIGSEGV


def test_codes_in_words() -> None:
    assert error_text(700) == "cudaErrorIllegalAddress: an illegal memory access was encountered"
    assert error_text(12345) == "CUDA error 12345"
