"""Calling the functions of a compiled kernel file.

One library a process: the runtime of a CPU library keeps its buffers and its faults in globals.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shared.cuda.errors import error_text
from shared.cuda.places import lines_of
from shared.cuda.prototype import STREAM, Parameter, Prototype, arguments, entry_name
from shared.traffic import KINDS, Site, Traffic, merged

__all__ = ["CpuLibrary", "Fault", "GpuLibrary", "error_text"]

_SCALARS: dict[str, Any] = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint8_t": ctypes.c_uint8,
    "bool": ctypes.c_bool,
}


@dataclass(frozen=True)
class Fault:
    """What stopped a kernel, or why it was not launched.

    kind is memory, race, uninitialised, barrier, warp, timeout, arithmetic, assert, trap, launch or unsupported. kernel
    is empty where no kernel is at fault; thread and block are None where no thread ran. text is one sentence; line is
    that of the student's file, 0 where it is not known.
    """

    kind: str
    kernel: str
    thread: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    text: str
    line: int = 0


class _CFault(ctypes.Structure):
    """The runtime's `Fault`, field for field."""

    _fields_ = (
        ("kind", ctypes.c_char_p),
        ("kernel", ctypes.c_char * 128),
        ("in_thread", ctypes.c_int),
        ("thread", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("place", ctypes.c_size_t),
        ("other", ctypes.c_size_t),
        ("text", ctypes.c_char * 640),
    )


class _Functions:
    """The library's functions, with the argument types that their prototypes declare."""

    def __init__(self, path: Path, prototypes: Iterable[Prototype]) -> None:
        self.handle = ctypes.CDLL(str(path))
        self.prototypes = {prototype.name: prototype for prototype in prototypes}
        for prototype in self.prototypes.values():
            function = self.handle[prototype.name]
            function.restype = ctypes.c_int
            function.argtypes = argtypes(prototype)
            setattr(self.handle, prototype.name, function)

    def call(self, name: str, values: Sequence[int | float], stream: int) -> int:
        return int(getattr(self.handle, name)(*self.converted(name, values, stream)))

    def call_guarded(self, name: str, values: Sequence[int | float], stream: int) -> int:
        """Call a launcher of a CPU library by way of its entry (`prototype.entries`)."""
        entry = self.handle[entry_name(name)]
        entry.restype = ctypes.c_int
        entry.argtypes = [ctypes.c_void_p, *argtypes(self.prototypes[name])]
        launcher = ctypes.cast(getattr(self.handle, name), ctypes.c_void_p)
        return int(entry(launcher, *self.converted(name, values, stream)))

    def converted(self, name: str, values: Sequence[int | float], stream: int) -> list[int | float]:
        """Return the arguments of a call: the checked values, then the stream if it takes one."""
        prototype = self.prototypes[name]
        wanted = arguments(prototype)
        if len(values) != len(wanted):
            raise TypeError(f"{name} takes {len(wanted)} values, not {len(values)}")
        converted = [_checked(p, value) for p, value in zip(wanted, values, strict=True)]
        if len(prototype.parameters) > len(wanted):
            converted.append(stream)
        return converted


def argtypes(prototype: Prototype) -> list[Any]:
    """Return the ctypes types of the parameters; addresses are plain integers."""
    return [ctypes.c_void_p if p.is_pointer or p.type == STREAM else _SCALARS[p.type] for p in prototype.parameters]


def _checked(parameter: Parameter, value: float) -> int | float:
    """Refuse what ctypes would cut off: an integer that is too large for its type."""
    if parameter.is_pointer or parameter.type in ("float", "double"):
        return value
    if not isinstance(value, int) or _SCALARS[parameter.type](value).value != value:
        raise ValueError(f"{value} is no value for the parameter {parameter}")
    return value


class CpuLibrary:
    """A kernel file built for the CPU, its device memory and its faults."""

    def __init__(self, path: Path, prototypes: Iterable[Prototype]) -> None:
        """Load the library, which runs its constructors. Raises OSError or AttributeError."""
        self._functions = _Functions(path, prototypes)
        handle = self._functions.handle
        self._path = path
        self._allocate = handle.cuda_emulator_allocate
        self._allocate.restype = ctypes.c_void_p
        self._allocate.argtypes = [ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
        self._set_written = handle.cuda_emulator_set_written
        self._set_written.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self._free = handle.cuda_emulator_free
        self._free.argtypes = [ctypes.c_void_p]
        self._fault = handle.cuda_emulator_fault
        self._fault.restype = ctypes.POINTER(_CFault)
        handle.cuda_emulator_stream.restype = ctypes.c_void_p
        handle.cuda_emulator_blocks.restype = ctypes.c_uint64
        handle.cuda_emulator_barriers.restype = ctypes.c_uint64
        self._stream = int(handle.cuda_emulator_stream())
        self._sizes: dict[int, int] = {}

    def allocate(self, num_bytes: int, name: str, item_bytes: int = 0) -> int:
        """Return the address of a new buffer, filled with 0xFF bytes; 256-byte aligned.

        Its name appears in faults, with an index that counts items of so many bytes (0: whatever an access moves).
        Raises MemoryError.
        """
        address = self._allocate(num_bytes, name.encode(), item_bytes)
        if not address:
            raise MemoryError(f"no {num_bytes} bytes for the buffer {name}")
        self._sizes[address] = num_bytes
        return int(address)

    def free(self, address: int) -> None:
        """Give a buffer back. Raises ValueError for an address that `allocate` did not give."""
        if self._sizes.pop(address, None) is None or self._free(address) != 0:
            raise ValueError(f"no buffer begins at {address:#x}")

    def write(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """Copy contiguous bytes into device memory. Raises ValueError if they do not fit."""
        view = memoryview(data).cast("B")
        self._check_range(address, view.nbytes)
        self._set_written(address, 1)
        if view.readonly or view.nbytes == 0:
            ctypes.memmove(address, bytes(view), view.nbytes)
        else:
            ctypes.memmove(address, (ctypes.c_char * view.nbytes).from_buffer(view), view.nbytes)

    def read(self, address: int, num_bytes: int) -> bytes:
        """Copy bytes out of device memory. Raises ValueError if they are not all in one buffer."""
        self._check_range(address, num_bytes)
        return ctypes.string_at(address, num_bytes)

    def _check_range(self, address: int, num_bytes: int) -> None:
        inside = any(start <= address and address + num_bytes <= start + size for start, size in self._sizes.items())
        if not inside:
            raise ValueError(f"{num_bytes} bytes at {address:#x} are in no buffer")

    def call(self, name: str, values: Sequence[int | float]) -> int:
        """Call a launcher with a stream that is not the null stream; return what it returns.

        values follow the declared parameters, buffers by address. Faults of earlier calls are
        forgotten; what kernels printed has been written when the call returns. A launcher whose
        host code uses device memory is left there, with a fault and cudaErrorIllegalAddress. An output that begins with
        NaN is taken for one that nobody has written yet.
        """
        for parameter, value in zip(arguments(self._functions.prototypes[name]), values, strict=False):
            if parameter.is_output and self._begins_with_nan(parameter, int(value)):
                self._set_written(int(value), 0)
        return self._functions.call_guarded(name, values, self._stream)

    def _begins_with_nan(self, parameter: Parameter, address: int) -> bool:
        kind = _SCALARS.get(parameter.type)
        if kind not in (ctypes.c_float, ctypes.c_double) or not self._sizes.get(address):
            return False
        return math.isnan(kind.from_address(address).value)

    def fault(self, filename: str = "") -> Fault | None:
        """Return the first fault of the last call; with the student's file's name, its lines too."""
        pointer = self._fault()
        if not pointer:
            return None
        found = pointer.contents
        lines = lines_of(self._path, (found.place, found.other), filename) if filename else {}
        line, other = lines.get(found.place, 0), lines.get(found.other, 0)
        text = found.text.decode(errors="replace")
        text = text.replace("\1", f", {filename}:{line}" if line else "")
        text = text.replace("\3", f"{filename}:{line}: " if line else "")
        return Fault(
            kind=found.kind.decode(),
            kernel=found.kernel.decode(errors="replace"),
            thread=_triple(found.thread) if found.in_thread else None,
            block=_triple(found.block) if found.in_thread else None,
            text=text.replace("\2", f" in line {other}" if other else ""),
            line=line,
        )

    def launches(self) -> int:
        """Return how many launches of the last call were not refused."""
        return int(self._functions.handle.cuda_emulator_launches())

    def count_traffic(self, count: bool) -> None:
        """From now on accesses are counted, or not: it makes kernels slower."""
        self._functions.handle.cuda_emulator_count(int(count))

    def traffic(self, filename: str) -> Traffic:
        """Return what the last call moved, if it was counted; lines are those of the student's file."""
        found: list[tuple[int, Site]] = []

        def report(place: int, kind: int, is_shared: int, name: bytes, counts: Any) -> None:
            space = "shared" if is_shared else "global"
            found.append((place, Site(0, KINDS[kind], space, name.decode(errors="replace"), *counts[:4])))

        types = (ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64))
        callback: Callable[..., Any] = ctypes.CFUNCTYPE(None, *types)(report)
        handle = self._functions.handle
        handle.cuda_emulator_sites(callback)
        lines = lines_of(self._path, [place for place, _ in found], filename)
        sites = merged(replace(site, line=lines.get(place, 0)) for place, site in found)
        blocks, barriers = (int(count()) for count in (handle.cuda_emulator_blocks, handle.cuda_emulator_barriers))
        return Traffic(self.launches(), blocks, barriers, sites)

    def skip_launches(self, skip: bool) -> None:
        """From now on launches are counted and do nothing, or run again."""
        self._functions.handle.cuda_emulator_skip_launches(int(skip))

    def other_streams(self) -> list[str]:
        """Return the kernels that the last call launched on a stream that is neither its argument nor its own.

        Its own are those that the file created. Each kernel is there once; one that was launched
        through a pointer is "a kernel".
        """
        found: list[str] = []

        def report(kernel: bytes) -> None:
            found.append(kernel.decode(errors="replace"))

        callback: Callable[..., Any] = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(report)
        self._functions.handle.cuda_emulator_other_streams(callback)
        return found

    def overruns(self) -> list[tuple[str, int]]:
        """Return (buffer, bytes past its end up to the last one that was changed)."""
        return [(name, past_end) for name, past_end, _ in self._damage() if past_end]

    def underruns(self) -> list[tuple[str, int]]:
        """Return (buffer, bytes before its start down to the first one that was changed)."""
        return [(name, before) for name, _, before in self._damage() if before]

    def _damage(self) -> list[tuple[str, int, int]]:
        found: list[tuple[str, int, int]] = []

        def report(name: bytes, past_end: int, before_start: int) -> None:
            found.append((name.decode(errors="replace"), past_end, before_start))

        kind = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t)
        callback: Callable[..., Any] = kind(report)
        self._functions.handle.cuda_emulator_overruns(callback)
        return found


class GpuLibrary:
    """A kernel file built by nvcc; the memory is the caller's, by device address."""

    def __init__(self, path: Path, prototypes: Iterable[Prototype]) -> None:
        """Load the library, which runs its constructors. Raises OSError or AttributeError."""
        self._functions = _Functions(path, prototypes)

    def call(self, name: str, values: Sequence[int | float], stream: int) -> int:
        """Call a launcher with a CUDA stream's handle; return what it returns.

        The kernels may still run then.
        """
        return self._functions.call(name, values, stream)


def _triple(values: Sequence[int]) -> tuple[int, int, int]:
    return (values[0], values[1], values[2])
