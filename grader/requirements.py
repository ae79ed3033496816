"""What an exercise needs of this machine, and the command that installs what is missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys

from grader.exercise import Exercise
from grader.records import Finding
from grader.status import Status
from shared.cuda import build

INSTALL_CXX = {
    "linux": "sudo apt-get install g++   (or your distribution's g++)",
    "darwin": "xcode-select --install",
}
INSTALL_TRITON = "python -m pip install triton -c constraints.txt"
INSTALL_NVCC = "install the CUDA toolkit, or put nvcc on PATH"
INSTALL_NVCC_ALONE = (
    "without it nobody says what a GPU's compiler would refuse; python -m pip install "
    "nvidia-cuda-nvcc~=13.0.0 nvidia-cuda-crt~=13.0.0 nvidia-nvvm~=13.0.0 "
    "nvidia-cuda-runtime~=13.0.0 nvidia-cuda-cccl~=13.0.0   (all of one version)"
)


def missing(exercise: Exercise, device: str) -> Finding | None:
    """The finding `not_run` for what is missing here; nobody's points are lost by it."""
    if exercise.is_cuda and device == "cpu" and build.find_cpu_compiler() is None:
        command = INSTALL_CXX.get(sys.platform, "install g++ or clang++")
        return _blocked("no C++ compiler (g++ or clang++) was found", command)
    if exercise.is_cuda and device == "cuda" and build.find_gpu_compiler() is None:
        return _blocked("nvcc was not found", INSTALL_NVCC)
    if "triton" in exercise.requires and not has_triton():
        return _blocked("Triton is not installed", _triton_command())
    return None


def missing_for_timing() -> str:
    """What timing on a GPU lacks here; empty when nothing."""
    if importlib.util.find_spec("cuda") is None or not has_triton():
        return "timing needs more packages: python -m pip install cuda-bindings nvidia-ml-py triton"
    return ""


def installed_version(package: str) -> str:
    """The version of an installed package; empty where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def has_triton() -> bool:
    """Whether Triton can be imported, without importing it."""
    return importlib.util.find_spec("triton") is not None


def _triton_command() -> str:
    if sys.platform == "linux":
        return INSTALL_TRITON
    return "Triton exists for Linux only: use WSL2, the devcontainer or Colab (README.md)"


def torch_has_cuda() -> bool:
    """Whether the installed torch is a CUDA build, without importing it."""
    version = installed_version("torch")
    requires = importlib.metadata.requires("torch") or [] if version else []
    return "+cu" in version or any(line.startswith(("nvidia-", "cuda-")) for line in requires)


def _blocked(what: str, command: str) -> Finding:
    return Finding(Status.NOT_RUN, f"{what}; install it with: {command}", environment=True)
