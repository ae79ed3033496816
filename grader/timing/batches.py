"""How many calls make a batch: as many as last long enough, as far as they fit into memory."""

from __future__ import annotations

import math

BATCH_MS = 25.0
"""What a batch is made to last, as far as memory allows."""
LONG_ENOUGH_MS = 20.0
"""What a race may find when the pace before it was another one."""
SHORTEST_MS = 10.0
"""Below this the fixed costs of a batch, and not the kernel, decide what the clock reads."""
MAX_CALLS = 1024


def counts(room: int, inputs: int, output: int, least_ms: float, baseline_ms: float) -> tuple[int, int]:
    """How many calls the batches of the fastest possible submission and of the baseline have, at least one.

    Both read the same inputs; each has its own outputs. The arguments are bytes, those of one call beside all `room`.
    """
    both = room // (inputs + 2 * output)
    baseline = min(calls_in_a_batch(baseline_ms), both)
    count = min(calls_in_a_batch(least_ms), (room - baseline * output) // (inputs + output))
    return max(1, count), max(1, min(baseline, count))


def calls_in_a_batch(each_ms: float) -> int:
    """How many calls of so many milliseconds, memory aside."""
    return min(MAX_CALLS, math.ceil(BATCH_MS / each_ms))
