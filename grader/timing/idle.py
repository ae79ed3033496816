"""Whether the GPU works for anybody else: copies of the grader's own, against how fast they were at the start."""

from __future__ import annotations

import time

from grader.timing.ceilings import Copies
from grader.timing.race import NotMeasured

STEADY = 0.90
"""Of the speed at the start: a device that two processes share serves each with about half."""
PROBES = 6
IN_A_ROW = 4  # quiet looks before a device counts as idle again
WAIT_S = 3.0
WARM_UPS = 10


class Idleness:
    """Looks at one device, while every worker is frozen."""

    def __init__(self, copies: Copies) -> None:
        """Learn how fast copies are; raise NotMeasured when they are not steady even now."""
        self._copies = copies
        self._warm_up()
        speeds = [copies.gbps() for _ in range(PROBES)]
        self._gbps = max(speeds)
        if min(speeds) < STEADY * self._gbps:
            raise NotMeasured("GPU busy: other work ran on it before the submission was loaded")

    def is_idle(self) -> bool:
        """Look once."""
        return self._copies.gbps() >= STEADY * self._gbps

    def stays_idle(self) -> bool:
        """Look for a second: whether nobody works at any time of it."""
        self._warm_up()
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            if not self.is_idle():
                return False
        return True

    def await_idle(self) -> None:
        """Wait for it, without a pause in which clocks would sink; raise NotMeasured when it does not come."""
        end, quiet = time.monotonic() + WAIT_S, int(self.is_idle()) * IN_A_ROW
        while quiet < IN_A_ROW:
            if time.monotonic() > end:
                raise NotMeasured("GPU busy: other work runs on it")
            quiet = quiet + 1 if self.is_idle() else 0

    def _warm_up(self) -> None:
        """An idle device has to raise its clocks first."""
        self._copies.gbps(WARM_UPS)
