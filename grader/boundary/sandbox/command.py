"""The command line and the environment of a worker."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from grader.boundary.sandbox.users import tool
from grader.boundary.sandbox.visible import library_paths
from grader.worker.__main__ import PROFILES
from shared import machine

_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CXX", "CC", "SYSTEMROOT")


@dataclass(frozen=True)
class Request:
    """What is to run in a sandbox, decided before anybody knows whose file it will get."""

    argv: tuple[str, ...]
    mode: str  # bare, nvcc, torch, compiler or cuda
    device_index: int  # of the GPU that `cuda` gets
    disk_mb: float  # of /tmp, and as much again of /dev/shm
    processes: int  # and threads, at one time
    profiles: bool = False  # `cuda` loads CUPTI before it is ready


def environment(request: Request, home: Path, code: Path) -> dict[str, str]:
    """Nothing of the grader's environment but what finds compilers and libraries."""
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    env |= {
        "PYTHONPATH": os.pathsep.join([str(code), *library_paths()]),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "HOME": str(home),
        "TMPDIR": str(home),
        "USER": "student",  # asked for by torch, which looks into /etc/passwd otherwise
        "TRITON_CACHE_DIR": str(home / "triton"),
        "CUDA_CACHE_PATH": str(home / "cuda"),
        "TORCHINDUCTOR_CACHE_DIR": str(home / "inductor"),
        "OMP_NUM_THREADS": "1",  # one thread: deterministic sums, and a process that can be forked
        "OPENBLAS_NUM_THREADS": "1",
    }
    if request.mode == "torch":
        env["TRITON_INTERPRET"] = "1"
    if request.mode == "cuda":
        env["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:False"  # whole allocations, which can be shared
        env["CUDA_VISIBLE_DEVICES"] = _device(request.device_index)
        env[PROFILES] = str(int(request.profiles))
    return env


def _device(index: int) -> str:
    """The device by its own name: its number is another one where the other devices' nodes are not there."""
    uuid = machine.cuda_uuid(index)
    listed = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    if listed and not listed[index].isdigit():
        return listed[index]  # a name already: GPU-… or MIG-…
    if not uuid:
        return listed[index] if listed else str(index)
    return "GPU-" + "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))


def limited(request: Request, is_alone: bool) -> list[str]:
    """The command that bounds what follows; `is_alone` where its user has no other processes."""
    command = [tool("prlimit"), "--core=0", f"--fsize={int(request.disk_mb * 2**20)}"]
    if is_alone:
        command.append(f"--nproc={request.processes}")
    return [*command, "--"]


def counts_per_namespace() -> bool:
    """Whether the kernel counts a user's processes in each user namespace by itself (Linux 5.14 and later)."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and (int(found[1]), int(found[2])) >= (5, 14)
