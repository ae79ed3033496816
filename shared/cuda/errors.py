"""The CUDA runtime's error codes in words."""

from __future__ import annotations

_ERRORS = {
    0: ("cudaSuccess", "no error"),
    1: ("cudaErrorInvalidValue", "invalid argument"),
    2: ("cudaErrorMemoryAllocation", "out of memory"),
    3: ("cudaErrorInitializationError", "initialization error"),
    9: ("cudaErrorInvalidConfiguration", "invalid configuration argument"),
    13: ("cudaErrorInvalidSymbol", "invalid device symbol"),
    31: ("cudaErrorNotYetImplemented", "not yet implemented"),
    35: ("cudaErrorInsufficientDriver", "the driver is older than the CUDA runtime needs"),
    98: ("cudaErrorInvalidDeviceFunction", "invalid device function"),
    100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    209: ("cudaErrorNoKernelImageForDevice", "the file was not built for this device"),
    222: ("cudaErrorUnsupportedPtxVersion", "the driver is older than the compiler needs"),
    400: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
    600: ("cudaErrorNotReady", "device not ready"),
    700: ("cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    701: ("cudaErrorLaunchOutOfResources", "too many resources requested for launch"),
    702: ("cudaErrorLaunchTimeout", "the launch timed out and was terminated"),
    710: ("cudaErrorAssert", "device-side assert triggered"),
    715: ("cudaErrorIllegalInstruction", "an illegal instruction was encountered"),
    716: ("cudaErrorMisalignedAddress", "misaligned address"),
    717: ("cudaErrorInvalidAddressSpace", "operation not supported on this address space"),
    718: ("cudaErrorInvalidPc", "invalid program counter"),
    719: ("cudaErrorLaunchFailure", "unspecified launch failure"),
    720: ("cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"),
    801: ("cudaErrorNotSupported", "operation not supported"),
    802: ("cudaErrorSystemNotReady", "system not yet initialized"),
    999: ("cudaErrorUnknown", "unknown error"),
}

MEANINGS = tuple(meaning for _, meaning in _ERRORS.values())
"""In the words of the CUDA runtime, without the codes' names."""


def error_text(code: int) -> str:
    """Return the code's name and meaning, such as "cudaErrorInvalidValue: invalid argument"."""
    name, meaning = _ERRORS.get(code, ("", ""))
    return f"{name}: {meaning}" if name else f"CUDA error {code}"
