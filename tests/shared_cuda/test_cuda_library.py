"""Device memory and calls."""

from __future__ import annotations

import array
import subprocess
import sys
from pathlib import Path

import pytest

from shared.cuda import build
from tests.shared_cuda.conftest import Device, Load

GELU = "int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream)"


@pytest.fixture
def device(load: Load) -> Device:
    return load("gelu.cu", GELU)


@pytest.mark.parametrize("size", [1, 4, 255, 256, 4096, 5000, 1 << 20])
def test_a_buffer_is_aligned_and_filled_with_nan(device: Device, size: int) -> None:
    address = device.library.allocate(size, "x")
    assert address % 256 == 0
    assert device.library.read(address, size) == b"\xff" * size


def test_reads_back_what_was_written(device: Device) -> None:
    address = device.library.allocate(40, "x")
    for data in (bytes(range(40)), bytearray(range(40)), memoryview(bytes(range(40)))):
        device.library.write(address, b"\0" * 40)
        device.library.write(address, data)
        assert device.library.read(address, 40) == bytes(range(40))
    floats = array.array("f", [1.5, 2.5])
    device.library.write(address + 8, memoryview(floats))
    assert device.library.read(address + 8, 8) == floats.tobytes()


def test_a_buffer_may_be_larger_than_a_window(device: Device) -> None:
    size = 5 << 30
    address = device.library.allocate(size, "x")
    device.library.write(address + size - 4, b"last")
    assert device.library.read(address + size - 4, 4) == b"last"
    device.library.free(address)


def test_refuses_addresses_outside_its_buffers(device: Device) -> None:
    library = device.library
    address = library.allocate(16, "x")
    with pytest.raises(ValueError, match="no buffer"):
        library.write(address, b"\0" * 17)
    with pytest.raises(ValueError, match="no buffer"):
        library.read(address - 1, 1)
    library.free(address)
    with pytest.raises(ValueError, match="no buffer"):
        library.free(address)
    with pytest.raises(ValueError, match="no buffer"):
        library.read(address, 1)


def test_refuses_values_that_do_not_fit(device: Device) -> None:
    with pytest.raises(ValueError, match="num_elements"):
        device.call("gelu", 0, 0, 1 << 63)
    with pytest.raises(ValueError, match="num_elements"):
        device.call("gelu", 0, 0, 1.5)
    with pytest.raises(TypeError, match="takes 3 values, not 2"):
        device.call("gelu", 0, 0)


def test_imports_the_standard_library_only() -> None:
    text = (
        "import sys; before = set(sys.modules); "
        "from shared.cuda import build, library, prototype, rewrite, tokens; "
        "names = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(sorted(names - set(sys.stdlib_module_names) - {'shared'}))"
    )
    root = Path(build.__file__).parents[2]
    command = [sys.executable, "-c", text]
    output = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    assert output.strip() == "[]"
