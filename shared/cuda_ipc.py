"""Device memory shared between two processes: CUDA IPC handles, and tensors over raw addresses.

Only whole allocations are shared, never a slice of a cached block: whoever opens a handle can read all of it.
"""

from __future__ import annotations

from typing import Any

import torch
from cuda.bindings import driver, runtime

_OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation


class IpcError(Exception):
    """CUDA refused; the text names the call and the code."""


def allocate(num_bytes: int) -> int:
    """Memory of its own (not from torch's cache), at least 1 byte; its address. Raises torch.OutOfMemoryError."""
    result = runtime.cudaMalloc(max(1, num_bytes))
    if int(result[0]) == _OUT_OF_MEMORY:
        raise torch.OutOfMemoryError(f"cudaMalloc: {num_bytes:,} bytes")
    return int(_checked("cudaMalloc", result))


def free(address: int) -> None:
    """Give `allocate`d memory back."""
    _checked("cudaFree", runtime.cudaFree(address))


def export(address: int) -> str:
    """A handle, in hexadecimal, to the whole allocation that begins at the address."""
    handle = _checked("cudaIpcGetMemHandle", runtime.cudaIpcGetMemHandle(address))
    return bytes(handle.reserved).hex()


def attach(handle: str) -> int:
    """The address here of another process's memory."""
    memory = runtime.cudaIpcMemHandle_t()
    memory.reserved = list(bytes.fromhex(handle))
    flags = runtime.cudaIpcMemLazyEnablePeerAccess
    return int(_checked("cudaIpcOpenMemHandle", runtime.cudaIpcOpenMemHandle(memory, flags)))


def detach(address: int) -> None:
    """Forget another process's memory."""
    _checked("cudaIpcCloseMemHandle", runtime.cudaIpcCloseMemHandle(address))


def extent(address: int) -> tuple[int, int]:
    """(base, size in bytes) of the allocation that holds the address."""
    base, size = _checked("cuMemGetAddressRange", driver.cuMemGetAddressRange(address))
    return int(base), int(size)


def tensor(address: int, num_bytes: int) -> torch.Tensor:
    """Raw memory as a flat uint8 tensor on the current device, without a copy."""
    if num_bytes == 0:
        return torch.empty(0, dtype=torch.uint8, device="cuda")
    return torch.as_tensor(_Raw(address, num_bytes), device="cuda")


class _Raw:
    """What torch needs to know to look at memory."""

    def __init__(self, address: int, num_bytes: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (num_bytes,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
            "strides": None,
        }


def _checked(call: str, result: tuple[Any, ...]) -> Any:
    """The value of a call of the bindings: (code, value …)."""
    if int(result[0]) != 0:
        raise IpcError(f"{call}: {result[0]}")
    return result[1] if len(result) == 2 else result[1:]
