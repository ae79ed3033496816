"""What is said beside a mark: a second clock, the kernels that ran, a device that was slowed down. Nothing runs here.

All of it was seen by instruments inside the submission's process, so it is for people to look at and changes no mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.timing.marks import Mark
from grader.timing.measurement import CaseResult, Kernel, Measurement

BAND = (0.90, 1.10)
"""CUDA events of the worker over the grader's clock: launching, and being woken, lies between them."""
KERNELS_FIT_WITHIN = 1.10
"""Kernels longer than this many times the call: they ran beside each other, or the call was not waited for."""


def notes(given: Mark, result: CaseResult, source: str) -> list[str]:
    """One sentence each; `source` is the submission's text where the kernels are to be its own, else empty."""
    measured = result.measurement
    assert measured is not None
    found = list(_clocks(measured, result.kernels))
    if given.on_an_edge:
        found.append("an edge lies inside the interval: the mark is the higher one")
    if measured.calls == 1:
        found.append("one call makes a batch: its inputs are that large, or it is that slow")
    if measured.health.throttle:
        found.append(f"the device was slowed down while it was measured: {measured.health.throttle}")
    foreign = foreign_kernels(result.kernels, source) if source else []
    if foreign:
        found.append(f"kernels ran that the file does not define: {', '.join(foreign)}")
    return found


def foreign_kernels(kernels: Sequence[Kernel], source: str) -> list[str]:
    """Names of kernels that do not occur in the submission's text; copies and fills of memory are no kernels."""
    own = set(re.findall(r"[A-Za-z_]\w*", source))
    names = dict.fromkeys(kernel.function for kernel in kernels if not kernel.name.startswith(("Memcpy", "Memset")))
    return [name for name in names if name not in own]


def _clocks(measured: Measurement, kernels: Sequence[Kernel]) -> Iterator[str]:
    """Where the second and the third clock do not agree with the grader's."""
    clock_ms = measured.time_ms.median
    if not BAND[0] <= measured.events_ms / clock_ms <= BAND[1]:
        yield f"CUDA events in the worker say {measured.events_ms:.4g} ms: the two clocks disagree"
    kernels_ms = sum(kernel.time_ms for kernel in kernels)
    if kernels_ms > KERNELS_FIT_WITHIN * clock_ms:
        yield f"the kernels of one call take {kernels_ms:.4g} ms by CUPTI, more than the call"
