"""Start a worker: `python -m grader.worker MODE DESCRIPTOR` with MODE `bare`, `nvcc`, `torch`, `compiler` or `cuda`.

`bare` and `torch` are fork servers for the CPU (without torch; with torch, and Triton interpreted), and so are `nvcc`
and `compiler`, where the kernels of a `.cu` file, or Triton's, are compiled and not run. `cuda` answers calls itself,
since a process with a CUDA context cannot be forked.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import sys

from grader.worker import child, limits, server, wire

PROFILES = "KERNEL_GRADER_PROFILES"
"""Environment variable: 1 when kernels will be looked at, so that CUPTI is loaded now and not later."""


def main() -> None:
    """Import what the mode needs, say so, and serve until the grader closes the connection."""
    mode, descriptor = sys.argv[1], int(sys.argv[2])
    connection = socket.socket(fileno=descriptor)
    limits.die_with_parent()
    limits.die_first()
    if mode not in ("bare", "nvcc"):
        _import_libraries(mode)
    wire.send(connection, {"op": "ready"})
    if mode == "cuda":
        child.serve(connection, device="cuda")
    else:
        server.serve(connection)


def _import_libraries(mode: str) -> None:
    """Import torch, and Triton where it exists; for `cuda` also make the context."""
    import torch

    if importlib.util.find_spec("triton") is not None:
        import triton  # noqa: F401 - imported now so that no student waits for it

        if mode == "torch":
            from shared import triton_interpreter

            triton_interpreter.correct()
            triton_interpreter.warm_up()
        if mode == "compiler":
            from shared import triton_compiler

            triton_compiler.install()
            triton_compiler.warm_up()
    if mode == "cuda":
        torch.zeros(1, device="cuda")
        if os.environ.get(PROFILES) == "1":
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]):
                torch.zeros(1, device="cuda")


if __name__ == "__main__":
    main()
