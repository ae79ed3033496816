"""A student's `.cu` file: compiled once, then called through its plain C launchers.

Without a GPU the launcher runs on the CPU against guarded buffers, and no torch is needed. With one, nvcc compiles
the same file, torch owns the memory and the stream.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.worker import report, values
from shared.cuda import build as compiler
from shared.cuda import library, prototype


def build(message: dict[str, Any], source: bytes, memory: mmap.mmap) -> dict[str, Any]:
    """Compile for the architecture the grader named, None for the CPU; the library goes into the grader's memory."""
    prototypes = [prototype.parse(text) for text in message["prototypes"]]
    text, file, folder = source.decode(), message["file"], Path(tempfile.mkdtemp(prefix="build-"))
    seconds = message["timeout_s"]
    try:
        if message["architecture"] is None:
            cache = Path(message["cache"])
            path = compiler.build_cpu(text, file, prototypes, folder, cache, seconds)
        else:
            path = compiler.build_gpu(text, file, prototypes, folder, message["architecture"], seconds)
    except compiler.CompileError as error:
        found = [[d.line, d.severity, d.message] for d in error.diagnostics]
        return report.unbuilt(found, error.text)
    built = path.read_bytes()
    if len(built) > len(memory):
        return report.unbuilt([], f"the library has {len(built):,} bytes; at most {len(memory):,} are taken")
    memory[: len(built)] = built
    return {"op": "built", "num_bytes": len(built)}


def load(message: dict[str, Any], device: str, built: bytes) -> CpuFile | GpuFile:
    """Open the library that `build` made, maybe in another process."""
    prototypes = [prototype.parse(text) for text in message["prototypes"]]
    path = Path(tempfile.mkdtemp(prefix="library-")) / f"{Path(message['file']).stem}.so"
    path.write_bytes(built)
    return CpuFile(path, prototypes, message["file"]) if device == "cpu" else GpuFile(path, prototypes)


class CpuFile:
    """A launcher on the CPU: inputs are copied into guarded buffers and back."""

    def __init__(self, path: Path, prototypes: list[prototype.Prototype], file: str) -> None:
        """Open the library; `file` is the name that its lines are told by."""
        self._library = library.CpuLibrary(path, prototypes)
        self._file = file

    def call(self, message: dict[str, Any], inputs: mmap.mmap | None) -> dict[str, Any]:
        """Run one launcher; everything it wrote is in the grader's memory afterwards."""
        lent = memoryview(inputs if inputs is not None else bytearray())  # nothing is lent when every tensor is empty
        addresses, items = [], _item_sizes(message)
        for number, ((offset, size), name) in enumerate(zip(message["regions"], message["names"], strict=True)):
            address = self._library.allocate(size, name, items.get(number, 0))
            self._library.write(address, lent[offset : offset + size])
            addresses.append(address)
        evidence = message.get("evidence")
        self._library.skip_launches(evidence is not None and not evidence["run_kernels"])
        code = self._library.call(message["entry"], _arguments(message, addresses))
        reply = {"op": "returned", "value": code, "fault": self._fault()}
        if evidence is not None:
            reply |= {"operations": [], "launches": self._library.launches()}
        for address, (offset, size) in zip(addresses, message["regions"], strict=True):
            lent[offset : offset + size] = self._library.read(address, size)
            self._library.free(address)
        return reply

    def fetch(self, message: dict[str, Any], outputs: mmap.mmap) -> None:
        """Nothing: a launcher's outputs are among its arguments."""

    def _fault(self) -> dict[str, Any] | None:
        fault = self._library.fault(self._file)
        if fault is not None:
            return {"kind": fault.kind, "text": fault.text}
        for name, num_bytes in self._library.overruns():
            text = f"writes past the end of `{name}` ({num_bytes} bytes behind it were changed)"
            return {"kind": "memory", "text": text}
        for name, num_bytes in self._library.underruns():
            text = f"writes before the start of `{name}` ({num_bytes} bytes before it were changed)"
            return {"kind": "memory", "text": text}
        return None


class GpuFile:
    """A launcher on a GPU: torch's memory and torch's current stream."""

    def __init__(self, path: Path, prototypes: list[prototype.Prototype]) -> None:
        """Open the library."""
        self._library = library.GpuLibrary(path, prototypes)

    def call(self, message: dict[str, Any], inputs: mmap.mmap | None) -> dict[str, Any]:
        """Run one launcher and wait for the GPU."""
        import torch

        from grader.worker.python_file import regions

        own = regions(message["regions"], inputs)
        guarded = [_Guarded(region) for region in own]
        addresses = [buffer.inside.data_ptr() for buffer in guarded]
        stream = torch.cuda.current_stream().cuda_stream
        code = self._library.call(message["entry"], _arguments(message, addresses), stream)
        try:
            torch.cuda.synchronize()
            for region, buffer in zip(own, guarded, strict=True):
                region.copy_(buffer.inside)
        except RuntimeError as error:
            return {"op": "returned", "value": code, "fault": _fault_of(error), "broken": True}
        damaged = [n for n, buffer in zip(message["names"], guarded, strict=True) if buffer.is_damaged()]
        text = f"writes outside of {', '.join(damaged)}: memory beside it was changed"
        fault = {"kind": "memory", "text": text} if damaged else None
        return {"op": "returned", "value": code, "fault": fault}

    def fetch(self, message: dict[str, Any], outputs: mmap.mmap) -> None:
        """Nothing: a launcher's outputs are among its arguments."""

    def function(self, entry: str) -> Callable[..., Any]:
        """A launcher on torch's current stream, to be called many times in a row."""
        import torch

        from grader.worker.batch import launcher

        stream = torch.cuda.current_stream().cuda_stream
        return launcher(lambda values: self._library.call(entry, values, stream))


class _Guarded:
    """A copy of a region on the GPU, with a margin on both sides that nobody may write."""

    MARGIN = 1 << 16  # bytes; a multiple of every alignment

    def __init__(self, region: Any) -> None:
        """Copy the region, fill the margins."""
        import torch

        size = region.numel()
        self._whole = torch.full((size + 2 * self.MARGIN,), 0xFF, dtype=torch.uint8, device="cuda")
        self.inside = self._whole[self.MARGIN : self.MARGIN + size]
        self.inside.copy_(region)

    def is_damaged(self) -> bool:
        """Whether a margin was written."""
        end = self.MARGIN + self.inside.numel()
        return not bool((self._whole[: self.MARGIN] == 0xFF).all() & (self._whole[end:] == 0xFF).all())


def _fault_of(error: RuntimeError) -> dict[str, Any]:
    """What torch says of a kernel that failed."""
    first_line = str(error).strip().splitlines()[0]
    is_memory = "illegal memory" in first_line or "misaligned" in first_line
    return {"kind": "memory" if is_memory else "launch", "text": first_line}


def _item_sizes(message: dict[str, Any]) -> dict[int, int]:
    """The bytes of an element of each region, as the arguments see it."""
    found: dict[int, int] = {}

    def note(tag: str, content: Any) -> None:
        if tag == "tensor":
            found[content["region"]] = content["item_size"]

    list(values.unpack(message["args"], note))
    return found


def _arguments(message: dict[str, Any], addresses: list[int]) -> list[Any]:
    """Tensors as pointers, numbers as they are."""

    def pointer(tag: str, content: Any) -> int:
        if tag != "tensor":
            raise ValueError(f"a launcher takes tensors and numbers, not {tag}")
        return int(addresses[content["region"]] + content["offset"] * content["item_size"])

    return list(values.unpack(message["args"], pointer))
