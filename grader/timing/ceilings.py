"""What this device can do, measured by the grader itself before a submission is loaded, and again at the end."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

COPY_BYTES = 2 << 30
"""Of each copy: far beyond any L2 cache."""
REPEATS = 8
MATMUL_SIZE = 8192


@dataclass(frozen=True)
class Ceilings:
    """Physical limits as this device reaches them now."""

    copy_gbps: float  # bytes read and written, 1e9 per second
    launch_us: float


def measure() -> Ceilings:
    """Copy bandwidth and launch latency; takes about a tenth of a second."""
    return Ceilings(copy_bandwidth(), launch_latency())


def copy_bandwidth(num_bytes: int | None = None) -> float:
    """GB/s of a copy within the device's memory, counting bytes read and bytes written."""
    free, _ = torch.cuda.mem_get_info()
    size = min(num_bytes or COPY_BYTES, free // 4)
    source = torch.zeros(size, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    seconds = median_seconds(lambda: target.copy_(source))
    return 2 * size / seconds / 1e9


def matmul_rate(dtype: torch.dtype, tf32: bool = False, size: int = MATMUL_SIZE) -> float:
    """TFLOP/s of a square product; float32 without TF32 unless it is asked for."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    try:
        a = torch.randn(size, size, device="cuda").to(dtype)
        b = torch.randn(size, size, device="cuda").to(dtype)
        seconds = median_seconds(lambda: a @ b)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    return 2 * size**3 / seconds / 1e12


def launch_latency(count: int = 1000) -> float:
    """Microseconds per launch of the smallest kernel, in a row."""
    x = torch.zeros(1, device="cuda")
    seconds = median_seconds(lambda: [x.add_(1) for _ in range(count)], repeats=3)
    return seconds / count * 1e6


def median_seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """By CUDA events of this process, after one call that is not counted."""
    work()
    seconds = []
    for _ in range(repeats):
        start, end = new_event(), new_event()
        start.record()
        work()
        end.record()
        end.synchronize()
        seconds.append(start.elapsed_time(end) / 1e3)
    return float(statistics.median(seconds))


def new_event() -> Any:
    """A CUDA event that takes the time (torch does not type its constructor)."""
    return torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
