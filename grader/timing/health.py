"""How a device is doing: clock, temperature, reasons to run slower; from NVML, and empty where that does not answer."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Health:
    """One reading."""

    sm_clock_mhz: int = 0
    temperature_c: int = 0
    throttle: str = ""


_REASONS = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "thermal (software)",
    0x40: "thermal (hardware)",
    0x80: "power brake",
}


def read(uuid: str) -> Health:
    """Read a device now."""
    try:
        import pynvml
    except ImportError:
        return Health()
    try:
        pynvml.nvmlInit()
        device = pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{UUID(uuid)}")
        return Health(
            int(pynvml.nvmlDeviceGetClockInfo(device, pynvml.NVML_CLOCK_SM)),
            int(pynvml.nvmlDeviceGetTemperature(device, pynvml.NVML_TEMPERATURE_GPU)),
            _named(int(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(device))),
        )
    except pynvml.NVMLError:
        return Health()


def _named(reasons: int) -> str:
    return ", ".join(name for bit, name in _REASONS.items() if reasons & bit)
