"""What this device can do, measured by the grader itself before a submission is loaded, and again at the end."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import torch

from grader.timing import health
from grader.timing.measurement import Ceilings

COPY_BYTES = 512 << 20
"""Of each buffer that is copied: far beyond any L2 cache."""
PROBE_S = 0.005
"""A probe lasts longer than the slices of time in which a GPU serves two processes in turn."""
WARM_UP_COPIES = 200
REPEATS = 8
MATMUL_SIZE = 4096


class Copies:
    """Copies within the device's memory, always between the same two buffers: other ones may be a few percent off."""

    def __init__(self) -> None:
        """Allocate the buffers, and learn how many copies make a probe."""
        free, _ = torch.cuda.mem_get_info()
        self._source = torch.zeros(min(COPY_BYTES, free // 8), dtype=torch.uint8, device="cuda")
        self._target = torch.empty_like(self._source)
        self._count = WARM_UP_COPIES
        self._seconds()  # an idle device has to raise its clocks first
        self._count = max(1, round(PROBE_S / self._seconds()))

    def gbps(self, probes: int = 1) -> float:
        """Bytes read and written, 1e9 per second: the median of some probes, each a row of copies."""
        return statistics.median(2 * self._source.numel() / self._seconds() / 1e9 for _ in range(probes))

    def _seconds(self) -> float:
        """Of one copy."""
        start, end = new_event(), new_event()
        start.record()
        for _ in range(self._count):
            self._target.copy_(self._source)
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end)) / 1e3 / self._count


def measure(uuid: str, copies: Copies) -> Ceilings:
    """All of them; takes about a fifth of a second."""
    matmul = {name: matmul_rate(dtype, tf32) for name, (dtype, tf32) in MATMULS.items()}
    gbps = copies.gbps(REPEATS)
    launch = launch_latency()
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return Ceilings(gbps, matmul, launch, now, health.read(uuid))


MATMULS = {
    "float32": (torch.float32, False),
    "tf32": (torch.float32, True),
    "float16": (torch.float16, False),
    "bfloat16": (torch.bfloat16, False),
}
"""Name of the arithmetic -> dtype of the matrices, and whether float32 may be rounded to TF32."""


def matmul_rate(dtype: torch.dtype, tf32: bool = False) -> float:
    """TFLOP/s of a square product; float32 without TF32 unless it is asked for."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    size = MATMUL_SIZE
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
