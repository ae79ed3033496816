"""The device that Triton is shown where there is none: kernels are interpreted, or only compiled.

The names that are used here are the same from Triton 3.5 to 3.9.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget

Run = Callable[[], Any]

_TRIAL_MS = 1.0  # of every trial: no configuration is faster than another


def stand_in(trial: Callable[[Run], None]) -> None:
    """Show Triton a device; `trial` makes a run whose time an autotuner asks for."""
    triton.runtime.driver.set_active(StandInDriver(trial))

    def do_bench(run: Run, *_: Any, quantiles: Any = None, **__: Any) -> Any:
        trial(run)
        return [_TRIAL_MS for _ in quantiles] if quantiles else _TRIAL_MS

    triton.testing.do_bench = do_bench


class StandInDriver:
    """Answers what honest code asks of a device where there is none: autotuning, properties, the current device."""

    def __init__(self, trial: Callable[[Run], None]) -> None:
        """A device like an A100, as far as anybody asks."""
        properties = {"multiprocessor_count": 108, "max_shared_mem": 166912, "max_num_regs": 65536, "warpSize": 32}
        self.utils = SimpleNamespace(get_device_properties=lambda device: dict(properties))
        self._trial = trial

    def get_current_target(self) -> GPUTarget:
        """Compute capability 8.0."""
        return GPUTarget("cuda", 80, 32)

    def get_current_device(self) -> int:
        """There is one."""
        return 0

    def set_current_device(self, device: int) -> None:
        """It stays the one."""

    def get_current_stream(self, device: int = 0) -> int:
        """The default stream."""
        return 0

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        """As the target says."""
        return 8, 0

    def get_active_torch_device(self) -> torch.device:
        """Where tensors lie that no GPU will see."""
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        """torch's module for that device."""
        return torch.cpu

    def get_benchmarker(self) -> Callable[..., list[float]]:
        """Autotuning tries each configuration once; the first one that can run is chosen."""

        def benchmark(run: Run, **options: Any) -> list[float]:
            self._trial(run)
            return [_TRIAL_MS] * 3

        return benchmark
