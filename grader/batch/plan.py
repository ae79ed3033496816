"""Which lanes a run gets: as many as the machine has room for, spread over its GPUs."""

from __future__ import annotations

import os
from dataclasses import replace

from grader.batch.lane import Orders

LANE_BYTES = 2 * 2**30
"""Of memory, for a lane and its workers."""
GPU_LANES = 4
"""At most for one GPU without --jobs: one is timing while the others compile, test and count."""


def lanes(orders: Orders, gpus: int, jobs: int | None, cores: int, memory_bytes: int) -> list[Orders]:
    """The orders of each lane. With `gpus` 0 all is graded on the CPU; otherwise on as many, from the orders' on."""
    room = max(1, min(cores, memory_bytes // LANE_BYTES))
    number = jobs or (min(room, gpus * GPU_LANES) if gpus else room)
    return [
        replace(orders, part=(lane, number), device_index=orders.device_index + (lane % gpus if gpus else 0))
        for lane in range(number)
    ]


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_bytes() -> int:
    """Of the whole machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
