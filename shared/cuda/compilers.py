"""Finding compilers, and running them with a time limit."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path


class CompilerTimeout(Exception):
    """A compiler that did not finish in time."""


@dataclass(frozen=True)
class Outcome:
    """How a compiler ended, and what it wrote to both streams."""

    returncode: int
    output: str


def find_cpu_compiler() -> str | None:
    """Return the path of a C++ compiler: $CXX, g++ or clang++; None if there is none."""
    wanted = os.environ.get("CXX", "").split()[:1]
    return _first_on_path([*wanted, "g++", "clang++"])


def find_gpu_compiler() -> str | None:
    """Return the path of nvcc: on the PATH, in $CUDA_HOME, in /usr/local/cuda or installed by pip; None if absent."""
    home = os.environ.get("CUDA_HOME")
    homes = [Path(home)] if home else []
    places = [str(place / "bin" / "nvcc") for place in [*homes, Path("/usr/local/cuda"), *_pip_toolkits()]]
    return _first_on_path(["nvcc", *places])


def _pip_toolkits() -> list[Path]:
    """Where pip puts the parts of CUDA, the newest first: `nvidia/cu13` beside other packages."""
    found = [toolkit for folder in sys.path for toolkit in Path(folder).glob("nvidia/cu[0-9]*")]
    return sorted(found, key=lambda toolkit: toolkit.name, reverse=True)


def _first_on_path(names: list[str]) -> str | None:
    return next((path for path in map(shutil.which, names) if path is not None), None)


@cache
def version(compiler: str) -> str:
    """Return what the compiler says of its version."""
    return run([compiler, "--version"], Path("/"), timeout_s=30).output


def run(command: list[str], directory: Path, timeout_s: float) -> Outcome:
    """Run a compiler in `directory`, which also takes its temporary files.

    Raises CompilerTimeout; then no process of the compiler is left.
    """
    with subprocess.Popen(
        command,
        cwd=directory,
        env={**os.environ, "TMPDIR": str(directory), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a compiler is several processes: they end together
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout_s)
        except BaseException as error:
            _kill_group(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise CompilerTimeout(command[0]) from None
            raise
    return Outcome(process.returncode, output.decode(errors="replace"))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
