"""Triton's compiler without a GPU: a launch compiles its kernel, and nothing runs.

The student's own wrapper is called with tensors on the CPU. Types, alignment, constants and options of a launch are
decided by Triton itself, from the launch line, as on a GPU; every configuration of an autotuned kernel is compiled, and
the first one kept. What is known of a kernel is read from its PTX and from what `ptxas` says of it.

Triton must have been imported without TRITON_INTERPRET. The names that are used here are the same from Triton 3.5 to
3.9.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.runtime.jit import JITFunction

from shared import ptx, triton_device, triton_refusals
from shared.compiled_kernels import Kernel, Refusal

_PTXAS = ("ptxas", "ptxas-blackwell")  # the older one refuses the newest PTX
_PTXAS_S = 60.0
_MAX_LINKS = 20


@dataclass
class Launches:
    """What the launches of one call gave."""

    compiled: dict[str, tuple[JITFunction, Any]] = field(default_factory=dict)  # by their PTX
    refused: list[tuple[BaseException, JITFunction]] = field(default_factory=list)
    is_trial: bool = False


_launches = Launches()


def install() -> None:
    """From now on launches compile, in this process; before a student's file is imported."""
    if not isinstance(tl.sum, JITFunction):
        raise RuntimeError("TRITON_INTERPRET was set when Triton was imported")
    triton_device.stand_in(_trial)
    JITFunction.run = _compiling(JITFunction.run)


def begin() -> Launches:
    """A call of a student's function begins; what its launches will give."""
    global _launches
    _launches = Launches()
    return _launches


def _compiling(run: Callable[..., Any]) -> Callable[..., Any]:
    def compiled(kernel: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> Any:
        try:
            found = run(kernel, *args, grid=grid, warmup=True, **kwargs)
        except Exception as error:
            _launches.refused.append((error, kernel))
            raise
        if not _launches.is_trial:
            _launches.compiled.setdefault(found.asm["ptx"], (kernel, found))
        return found

    return compiled


def _trial(run: Callable[[], Any]) -> None:
    """A run for autotuning: compiled, and not told of."""
    before, _launches.is_trial = _launches.is_trial, True
    try:
        run()
    finally:
        _launches.is_trial = before


def kernels(launches: Launches, text: str) -> list[Kernel]:
    """Each kernel that was compiled; `text` is the student's file."""
    return [_kernel(function, found, text) for function, found in launches.compiled.values()]


def _kernel(function: Any, found: Any, text: str) -> Kernel:
    code = found.asm["ptx"]
    registers, spill_bytes = resources(code)
    return Kernel(
        name=function.fn.__name__,
        line=triton_refusals.line_of(function.src, 1, text),
        registers=registers,
        spill_bytes=spill_bytes,
        load_bytes=ptx.widest_load(code),
        store_bytes=ptx.widest_store(code),
        shuffles=ptx.shuffles(code),
        uses_tensor_cores=ptx.uses_tensor_cores(code),
        shared_bytes=int(found.metadata.shared),
    )


def resources(code: str) -> tuple[int, int]:
    """Registers of a thread, and bytes that it spills, by `ptxas`; raises RuntimeError."""
    target = re.search(r"^\.target (\w+)", code, re.MULTILINE)
    folder = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    said = ""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(code)
        file.flush()
        for tool in (folder / name for name in _PTXAS if target and (folder / name).exists()):
            words = [str(tool), "-v", f"-arch={target and target[1]}", file.name, "-o", os.devnull]
            done = subprocess.run(words, capture_output=True, text=True, timeout=_PTXAS_S, check=False)
            said = done.stderr + done.stdout
            registers = re.search(r"Used (\d+) registers", said)
            if done.returncode == 0 and registers:
                spilled = re.search(r"(\d+) bytes spill stores", said)
                return int(registers[1]), int(spilled[1]) if spilled else 0
    raise RuntimeError(f"ptxas does not say what a kernel uses: {said.strip()[:200]}")


def refusal(launches: Launches, raised: BaseException, text: str) -> Refusal | None:
    """The refusal that a call ended with; None where it ended otherwise.

    A function that catches a refusal and returns has found another way, as it would on a GPU.
    """
    links = list(_links(raised))
    for error, function in launches.refused:
        found = _refusal(error, function, text) if any(link is error for link in links) else None
        if found is not None:
            return found
    return None


def _refusal(error: BaseException, function: Any, text: str) -> Refusal | None:
    links = list(_links(error, causes_only=True))
    said = triton_refusals.reason(getattr(links[-1], "error_message", None) or str(links[-1]))
    places = [(e.src, e.node.lineno) for e in links if isinstance(e, CompilationError) and hasattr(e.node, "lineno")]
    if not places:
        places = list(_places_before(error.__traceback__))
    if isinstance(error, KeyError) and "specified but unrecognised" in said:
        places = [(function.src, 1)]
    if not places or triton_refusals.is_of_the_target(said):
        return None  # nothing that the compiler says of the student's text
    lines = [triton_refusals.line_of(source, number, text) for source, number in places if source]
    own = [line for line in lines if line]  # an error inside of Triton's own functions is shown where they are called
    return Refusal(function.fn.__name__, own[-1] if own else 0, triton_refusals.kind(said), said)


def _links(error: BaseException, causes_only: bool = False) -> Iterator[BaseException]:
    """An error and what it was raised from, or while it was handled."""
    link: BaseException | None = error
    for _ in range(_MAX_LINKS):
        if link is None:
            return
        yield link
        link = link.__cause__ or (None if causes_only else link.__context__)


def _places_before(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    """Where Triton was when it looked for what a kernel uses, before it compiled: its own frames know the node."""
    source = ""
    while trace is not None:
        names = trace.tb_frame.f_locals
        if trace.tb_frame.f_code.co_name == "cache_key":
            source = str(getattr(names.get("self"), "src", ""))
        elif source and isinstance(names.get("node"), ast.AST) and hasattr(names["node"], "lineno"):
            yield source, names["node"].lineno
        trace = trace.tb_next


@triton.jit  # type: ignore[untyped-decorator]
def _add_one(x_ptr, num_elements, BLOCK_SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(x_ptr + offsets, x + tl.sum(tl.exp(x), axis=0), mask=mask)


def warm_up() -> None:
    """Compile a kernel once: what Triton imports and makes for its first one is then inherited by every fork."""
    launches = begin()
    _add_one[(1,)](torch.zeros(64), 64, BLOCK_SIZE=64)
    kernels(launches, "")
    begin()
