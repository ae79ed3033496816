"""What this device can do, measured by the grader itself before a submission is loaded, and again at the end."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import torch

from grader.timing import health
from grader.timing.measurement import Ceilings

COPY_BYTES = 2 << 30
"""Of each copy: far beyond any L2 cache."""
PROBE_BYTES = 256 << 20
REPEATS = 8
MATMUL_SIZE = 4096


def measure(uuid: str) -> Ceilings:
    """All of them; takes about a fifth of a second."""
    matmul = {name: matmul_rate(dtype, tf32) for name, (dtype, tf32) in MATMULS.items()}
    copy = copy_bandwidth()
    launch = launch_latency()
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return Ceilings(copy, matmul, launch, now, health.read(uuid))


MATMULS = {
    "float32": (torch.float32, False),
    "tf32": (torch.float32, True),
    "float16": (torch.float16, False),
    "bfloat16": (torch.bfloat16, False),
}
"""Name of the arithmetic -> dtype of the matrices, and whether float32 may be rounded to TF32."""


def copy_bandwidth() -> float:
    """GB/s of a copy within the device's memory, counting bytes read and bytes written."""
    source, target = _pair(COPY_BYTES)
    return 2 * source.numel() / median_seconds(lambda: target.copy_(source)) / 1e9


def sustained_bandwidth(count: int) -> float:
    """The same over smaller copies in a row, as a mean: slower as soon as anybody else uses the device."""
    source, target = _pair(PROBE_BYTES)
    start, end = new_event(), new_event()
    start.record()
    for _ in range(count):
        target.copy_(source)
    end.record()
    end.synchronize()
    return float(2 * source.numel() * count / start.elapsed_time(end) / 1e6)


def _pair(num_bytes: int) -> tuple[torch.Tensor, torch.Tensor]:
    free, _ = torch.cuda.mem_get_info()
    source = torch.zeros(min(num_bytes, free // 4), dtype=torch.uint8, device="cuda")
    return source, torch.empty_like(source)


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
