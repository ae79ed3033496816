"""Memory that the grader owns and lends to a worker: a file without a name, passed as a descriptor.

On Linux its size is sealed, so that a worker cannot shrink it under the grader's feet (reading a shrunken mapping would
kill the grader by SIGBUS).
"""

from __future__ import annotations

import mmap
import os
import tempfile
from types import TracebackType


class Segment:
    """`size` bytes, mapped here and readable and writable by whoever gets the descriptor."""

    def __init__(self, size: int) -> None:
        """Make and map the memory; `size` is at least 1."""
        self.descriptor = _anonymous_file(size)
        self.view = mmap.mmap(self.descriptor, size)

    @classmethod
    def of(cls, data: bytes) -> Segment:
        """A segment that holds `data`, which is not empty."""
        segment = cls(len(data))
        segment.view[:] = data
        return segment

    def close(self) -> None:
        """Give the descriptor back; the mapping goes with the last tensor that uses it."""
        os.close(self.descriptor)

    def __enter__(self) -> Segment:
        """The segment itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


def _anonymous_file(size: int) -> int:
    if not hasattr(os, "memfd_create"):  # macOS
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
        os.ftruncate(descriptor, size)
        return descriptor
    import fcntl

    descriptor = os.memfd_create("lent", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return descriptor
