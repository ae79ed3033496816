"""Counts of what interpreted Triton kernels move, as `shared.traffic` has them.

A request is one access of one program, taken as a whole: which threads get which elements is the compiler's business,
and it may give neighbours to neighbours in whatever order the lanes stand. Of each request:

- **Bytes** are those of its active lanes, each lane's own: an element that 64 lanes load counts 64 times.
- **Transfers** are the different sectors (32 bytes, from the start of the tensor's storage) that these lanes touch.
- **The fewest** are the sectors that its different elements would fill if they lay side by side. An element that many
  lanes load counts once here, so the fewest are never more than the transfers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shared.traffic import SECTOR_BYTES, Site, Traffic

Array = np.ndarray[Any, np.dtype[Any]]

KINDS = {"loads": "load", "stores": "store", "updates": "atomic"}


@dataclass
class Meter:
    """Adds up the launches and accesses of one call."""

    launches: int = 0
    programs: int = 0
    _sites: dict[tuple[int, str, str], list[int]] = field(default_factory=dict)

    def add(self, line: int, verb: str, name: str, positions: Array, size: int) -> None:
        """One request of a program: where its active lanes access elements of `size` bytes, from the storage's start.

        There is one lane at least.
        """
        counts = self._sites.setdefault((line, KINDS[verb], name), [0, 0, 0, 0])
        transfers, fewest = sectors(positions, size)
        for index, number in enumerate((1, positions.size * size, transfers, fewest)):
            counts[index] += number

    def traffic(self) -> Traffic:
        """What was counted up to now."""
        rows = sorted(self._sites.items())
        sites = (Site(line, kind, "global", name, *counts) for (line, kind, name), counts in rows)
        return Traffic(self.launches, self.programs, barriers=0, sites=tuple(sites))


def sectors(positions: Array, size: int) -> tuple[int, int]:
    """The different sectors of elements at these positions, and the fewest that could hold as many."""
    if not (positions[1:] > positions[:-1]).all():
        positions = np.unique(positions)
    touched = positions // SECTOR_BYTES
    transfers = 1 + int(np.count_nonzero(touched[1:] != touched[:-1]))
    return transfers, min(transfers, -(-positions.size * size // SECTOR_BYTES))
