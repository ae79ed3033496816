"""Building and calling the kernel files in `kernels/`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from shared.cuda import build, prototype
from shared.cuda.library import CpuLibrary

KERNELS = Path(__file__).with_name("kernels")
Load = Callable[..., "Device"]


class Device:
    """A CPU library with buffers of C scalars; `code` is a letter of the struct module."""

    def __init__(self, library: CpuLibrary) -> None:
        self.library = library

    def buffer(self, code: str, values: Sequence[float] | int, name: str = "x") -> int:
        """Allocate values, or that many untouched elements; return the address."""
        if isinstance(values, int):
            return self.library.allocate(values * struct.calcsize(code), name)
        data = struct.pack(f"{len(values)}{code}", *values)
        address = self.library.allocate(len(data), name)
        self.library.write(address, data)
        return address

    def values(self, code: str, address: int, count: int) -> list[float]:
        """Read `count` elements."""
        data = self.library.read(address, count * struct.calcsize(code))
        return list(struct.unpack(f"{count}{code}", data))

    def call(self, name: str, *values: float) -> int:
        """Call a launcher; return its result."""
        return self.library.call(name, values)


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled runtime, shared by all tests."""
    path = tmp_path_factory.mktemp("cuda-cache")
    build.prepare_cpu(path)
    return path


@pytest.fixture(scope="session")
def load(cache_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Load:
    """`load("gelu.cu", "int gelu(...)", ...)`: build a file once for all its functions."""
    built: dict[tuple[str, ...], Device] = {}

    def load_(filename: str, *declarations: str) -> Device:
        key = (filename, *declarations)
        if key not in built:
            prototypes = [prototype.parse(declaration) for declaration in declarations]
            source = (KERNELS / filename).read_text()
            out = tmp_path_factory.mktemp(filename.removesuffix(".cu"))
            path = build.build_cpu(source, filename, prototypes, out, cache_dir, timeout_s=60)
            built[key] = Device(CpuLibrary(path, prototypes))
        return built[key]

    return load_
