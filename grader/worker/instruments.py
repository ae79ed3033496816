"""What a submission's own Python does while it runs: operations of torch, and launches of Triton kernels.

Counted in the submission's own process, so it is evidence and no proof. What Triton's interpreter does with torch
during a launch is not the student's doing and is not counted.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

MAX_ROWS = 50
_DEPTH = 40  # frames that are looked at for the student's line


class Launches:
    """Counts launches of Triton kernels; one for the process, since it takes the place of Triton's own `run`."""

    def __init__(self) -> None:
        """Nothing is counted before `install`."""
        self.count = 0
        self.is_skipping = False
        self.depth = 0  # of launches under way

    def install(self) -> None:
        """Put the counter in front of compiled and interpreted kernels, where Triton is there."""
        with contextlib.suppress(ImportError):
            from triton.runtime.interpreter import InterpretedFunction
            from triton.runtime.jit import JITFunction

            for kind in (JITFunction, InterpretedFunction):
                kind.run = self._counted(kind.run)

    def _counted(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def counted(kernel: Any, *args: Any, **kwargs: Any) -> Any:
            if kwargs.get("warmup"):
                return run(kernel, *args, **kwargs)
            self.count += 1
            if self.is_skipping:
                return None
            self.depth += 1
            try:
                return run(kernel, *args, **kwargs)
            finally:
                self.depth -= 1

        return counted


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts operations of torch by name and the student's line."""

    def __init__(self, file: str, launches: Launches) -> None:
        """`file` is the base name of the student's file."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._file = file
        self._launches = launches
        self.seen: dict[tuple[str, int], int] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """No: to wrap what follows against torch.compile, torch would import a second's worth of modules."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not self._launches.depth:
            key = (str(func._schema.name).removeprefix("aten::"), _line(self._file))
            self.seen[key] = self.seen.get(key, 0) + 1
        return func(*args, **(kwargs or {}))


_launches = Launches()
_launches.install()


@contextlib.contextmanager
def watching(file: str, run_kernels: bool) -> Iterator[Callable[[], dict[str, Any]]]:
    """While it is entered, count; what it gives tells the counts for a reply.

    Without `run_kernels`, launches do nothing, and memory that nobody has written holds NaN: what is right then is not
    the work of a kernel.
    """
    _launches.count, _launches.is_skipping = 0, not run_kernels
    operations = Operations(file, _launches)
    try:
        with operations, contextlib.nullcontext() if run_kernels else _poisoned_memory():
            yield lambda: {"operations": _rows(operations), "launches": _launches.count}
    finally:
        _launches.is_skipping = False


@contextlib.contextmanager
def _poisoned_memory() -> Iterator[None]:
    """New tensors are filled with NaN, as torch does where it has to be deterministic.

    `torch.use_deterministic_algorithms` would import a second's worth of the compiler for the same.
    """
    before = torch.are_deterministic_algorithms_enabled()
    torch._C._set_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch._C._set_deterministic_algorithms(before, warn_only=False)


def _rows(operations: Operations) -> list[list[Any]]:
    return [[name, line, count] for (name, line), count in operations.seen.items()][:MAX_ROWS]


def _line(file: str) -> int:
    """The line of the student's file that is being run; 0 where none is near."""
    frame: Any = sys._getframe(2)
    for _ in range(_DEPTH):
        if frame is None:
            return 0
        if Path(frame.f_code.co_filename).name == file:
            return int(frame.f_lineno)
        frame = frame.f_back
    return 0
