"""What the PTX of a kernel tells: how wide it loads and stores, and which instructions it has."""

from __future__ import annotations

import re


def widest_load(ptx: str) -> int:
    """Bytes that a thread gets from global memory by the widest instruction; 0 where there is none."""
    return max(_widest(ptx, "ld"), _widest_copy(ptx))


def widest_store(ptx: str) -> int:
    """Bytes that a thread writes to global memory by the widest instruction; 0 where there is none."""
    return _widest(ptx, "st")


def shuffles(ptx: str) -> int:
    """Instructions that exchange values between the threads of a warp."""
    return len(re.findall(r"\bshfl\.sync", ptx))


def uses_tensor_cores(ptx: str) -> bool:
    """Whether there is an instruction that multiplies matrices."""
    return re.search(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\b", ptx) is not None


def _widest(ptx: str, operation: str) -> int:
    found = re.findall(rf"\b{operation}\.global\b[.:\w]*?(?:\.v(\d))?\.[bfsu](\d+)\b", ptx)
    return max((int(count or 1) * int(bits) // 8 for count, bits in found), default=0)


def _widest_copy(ptx: str) -> int:
    """The same for copies into shared memory that a loop starts ahead of their use."""
    found = re.findall(r"\bcp\.async\.c[ag]\.shared\.global\b[^;\[]*\[[^]]*\]\s*,\s*\[[^]]*\]\s*,\s*(0x\w+|\d+)", ptx)
    return max((int(size, 0) for size in found), default=0)
