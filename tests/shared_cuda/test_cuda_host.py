"""The host code of launchers: device memory is out of its reach, and launches have a stream."""

from __future__ import annotations

import pytest

from tests.shared_cuda.conftest import Device, Load

FUNCTIONS = (
    "int reads(const float* x, float* out, int at, cudaStream_t stream)",
    "int writes(float* x, cudaStream_t stream)",
    "int writes_its_own(cudaStream_t stream)",
    "int copies(float* x, cudaStream_t stream)",
    "int managed(cudaStream_t stream)",
    "int streams(int which, cudaStream_t stream)",
    "int without(int unused)",
)
ILLEGAL_ADDRESS = 700


@pytest.fixture
def device(load: Load) -> Device:
    return load("host.cu", *FUNCTIONS)


def check_fault(device: Device, name: str) -> None:
    fault = device.library.fault()
    assert fault is not None
    assert (fault.kind, fault.kernel, fault.thread, fault.block) == ("memory", "", None, None)
    assert fault.text == f"the launcher reads or writes device memory (`{name}`) on the host: only a kernel may"


@pytest.mark.parametrize("at", [0, 100_000])
def test_a_read_on_the_host(device: Device, at: int) -> None:
    x, out = device.buffer("f", [1, 2, 3, 4], "x"), device.buffer("f", [0])
    assert device.call("reads", x, out, at) == ILLEGAL_ADDRESS
    check_fault(device, "x")


def test_a_write_on_the_host(device: Device) -> None:
    x = device.buffer("f", [1, 2, 3, 4], "weights")
    assert device.call("writes", x) == ILLEGAL_ADDRESS
    check_fault(device, "weights")
    assert device.values("f", x, 4) == [1, 2, 3, 4]


def test_a_write_to_memory_of_the_launchers_own(device: Device) -> None:
    assert device.call("writes_its_own") == ILLEGAL_ADDRESS
    check_fault(device, "cudaMalloc #1")


def test_calls_after_such_a_fault(device: Device) -> None:
    x = device.buffer("f", [1, 2, 3, 4])
    for _ in range(2):
        assert device.call("writes", x) == ILLEGAL_ADDRESS
        assert device.call("copies", x) == 0
        assert device.library.fault() is None


def test_copies_may(device: Device) -> None:
    x = device.buffer("f", [1, 2, 3, 4])
    assert device.call("copies", x) == 0
    assert device.values("f", x, 4) == [0, 6, 8, 10]
    assert device.library.fault() is None


def test_managed_memory_is_the_hosts_too(device: Device) -> None:
    assert device.call("managed") == 12
    assert device.library.fault() is None


@pytest.mark.parametrize(
    ("which", "kernels"),
    [(0, []), (1, ["empty_kernel"]), (2, ["empty_kernel"]), (3, []), (4, ["a kernel"])],
)
def test_launches_on_another_stream(device: Device, which: int, kernels: list[str]) -> None:
    assert device.call("streams", which) == 0
    assert device.library.other_streams() == kernels


def test_other_streams_are_those_of_the_last_call(device: Device) -> None:
    assert device.call("streams", 1) == 0
    assert device.call("streams", 0) == 0
    assert device.library.other_streams() == []


def test_a_launcher_without_a_stream_has_the_null_stream(device: Device) -> None:
    assert device.call("without", 0) == 0
    assert device.library.other_streams() == []


def test_launches_are_counted_for_each_call(device: Device) -> None:
    device.call("streams", 1)
    assert device.library.launches() == 2
    device.call("streams", 0)
    assert device.library.launches() == 1
    device.call("writes_its_own")
    assert device.library.launches() == 0


def test_launches_can_be_skipped(device: Device) -> None:
    """They are counted all the same, and refused where they would be."""
    x = device.buffer("f", [1, 2, 3, 4])
    device.library.skip_launches(True)
    try:
        assert device.call("copies", x) == 0
        assert device.values("f", x, 4) == [0, 3, 4, 5], "what the host does is done"
        assert device.library.launches() == 1
    finally:
        device.library.skip_launches(False)
    assert device.call("copies", x) == 0
    assert device.values("f", x, 4) == [0, 8, 10, 12]
