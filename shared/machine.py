"""Facts about this machine that need neither torch nor a CUDA context."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import sys


@functools.cache
def cuda_device_count() -> int:
    """GPUs that the driver offers to this process; 0 without a driver."""
    driver = _driver()
    count = ctypes.c_int(0)
    if driver is None or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


@functools.cache
def cuda_memory_gb(index: int = 0) -> float:
    """Memory of a GPU in units of 2^30 bytes; 0 without one."""
    driver = _driver()
    total, device = ctypes.c_size_t(0), ctypes.c_int(0)
    if driver is None or driver.cuDeviceGet(ctypes.byref(device), index) != 0:
        return 0.0
    if driver.cuDeviceTotalMem_v2(ctypes.byref(total), device) != 0:
        return 0.0
    return total.value / 2**30


@functools.cache
def cuda_device_name(index: int = 0) -> str:
    """For example `NVIDIA H200`; empty without a GPU."""
    return _text("cuDeviceGetName", index)


@functools.cache
def cuda_uuid(index: int = 0) -> str:
    """The device's own name, the same for every process of this machine: 32 hexadecimal digits, or empty."""
    driver = _driver()
    found, device = ctypes.create_string_buffer(16), ctypes.c_int(0)
    if driver is None or driver.cuDeviceGet(ctypes.byref(device), index) != 0:
        return ""
    return found.raw.hex() if driver.cuDeviceGetUuid(found, device) == 0 else ""


@functools.cache
def cuda_pci_bus_id(index: int = 0) -> str:
    """Where the device sits, for example `0000:1B:00.0`; empty without a GPU."""
    return _text("cuDeviceGetPCIBusId", index)


@functools.cache
def cuda_architecture(index: int = 0) -> str:
    """For example `sm_90`; empty without a GPU."""
    driver = _driver()
    device, found = ctypes.c_int(0), [ctypes.c_int(0), ctypes.c_int(0)]
    if driver is None or driver.cuDeviceGet(ctypes.byref(device), index) != 0:
        return ""
    for value, attribute in zip(found, _COMPUTE_CAPABILITY, strict=True):
        driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
    return f"sm_{found[0].value}{found[1].value}"


_COMPUTE_CAPABILITY = (75, 76)  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR


def _text(function: str, index: int) -> str:
    """What a function of the driver says of a device in words; empty without it."""
    driver = _driver()
    found, device = ctypes.create_string_buffer(128), ctypes.c_int(0)
    if driver is None or driver.cuDeviceGet(ctypes.byref(device), index) != 0:
        return ""
    return found.value.decode() if getattr(driver, function)(found, 128, device) == 0 else ""


@functools.cache
def _driver() -> ctypes.CDLL | None:
    """The CUDA driver's library, initialised; this makes no context and takes milliseconds."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None


def host_memory_gb() -> float:
    """Physical memory in units of 2^30 bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def cpu_name() -> str:
    """The processor's architecture, for example `x86_64`."""
    return platform.machine() or "unknown processor"
