"""The nodes in /dev of the one GPU that a worker is given, found by asking; never those of its neighbours."""

from __future__ import annotations

import re
from pathlib import Path

from shared import machine

_CONTROL = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/dxg")  # dxg: Windows' own, under WSL2
_GPUS = Path("/proc/driver/nvidia/gpus")


def nodes(device_index: int) -> list[str]:
    """What exists of the control nodes, and the GPU's own; every GPU's where the driver does not say which is which."""
    own = node_of(machine.cuda_pci_bus_id(device_index), _GPUS)
    if own is not None and Path(own).exists():
        gpus = [own]
    else:
        gpus = sorted(str(path) for path in Path("/dev").glob("nvidia[0-9]*"))
    return [node for node in _CONTROL if Path(node).exists()] + gpus


def node_of(bus_id: str, gpus: Path) -> str | None:
    """`/dev/nvidia3` for a place on the PCI bus, by the driver's own table; the order of CUDA is another one."""
    for folder in gpus.glob("*") if gpus.is_dir() else ():
        if bus_id and folder.name.lower() == bus_id.lower():
            minor = re.search(r"Device Minor:\s*(\d+)", (folder / "information").read_text())
            return f"/dev/nvidia{minor[1]}" if minor else None
    return None
