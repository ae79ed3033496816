"""Ask a worker what a GPU's compiler says of a submission's kernels. Its answer is a claim, as every reply is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from grader.boundary.host import Host, Opener, while_compiling
from grader.boundary.lending import Lent
from grader.boundary.memory import Segment
from grader.boundary.replies import known_name, raised
from grader.boundary.server import COMPILER
from grader.exercise import Exercise
from grader.worker import values
from shared.compiled_kernels import Compiled, Kernel, Refusal

MAX_KERNELS = 20
MAX_TEXT = 300
"""As much as an honest worker sends."""

ARCHITECTURE = "sm_80"
"""What nvcc compiles for, as Triton does here."""

_MAX_NAME = 80  # of a kernel; a longer one is shown as none
_ANSWER_S = 5.0  # beyond what the compiler may take


def compiled(exercise: Exercise, text: str, inputs: tuple[Any, ...], workers: Opener) -> Compiled:
    """Compile what a call of the first entry point with these inputs launches, by Triton. Raises Failure."""
    host, lent = Host(exercise, text, COMPILER, workers), Lent()
    try:
        session = host.open(COMPILER, [], None)
        request = {
            "op": "compile",
            "file": exercise.file,
            "entry": exercise.entries[0].name,
            "args": values.pack(list(inputs), lambda value: {"tensor": lent.add(_tensor(value))}),
            "regions": lent.lend(),
        }
        descriptors = [lent.segment.descriptor] if lent.segment else []
        lent_bytes = len(lent.segment.view) if lent.segment else 0
        try:
            reply = session.ask(request, descriptors, seconds=exercise.limits.call_s, lent_bytes=lent_bytes)
        finally:
            session.discard()
        if reply["op"] == "raised":
            raise host.raised(reply)
        return evidence(reply, text)
    finally:
        lent.close()
        host.close()


def by_nvcc(exercise: Exercise, text: str, workers: Opener) -> Compiled:
    """Compile the kernels of a `.cu` file. Raises Failure."""
    sandboxes, limits = workers.sandboxes(), exercise.limits
    request = {
        "op": "compile",
        "file": exercise.file,
        "prototypes": [entry.declaration for entry in exercise.entries],
        "architecture": ARCHITECTURE,
        "timeout_s": limits.build_s,
    }
    try:
        session = sandboxes.open(while_compiling(exercise), COMPILER)
        try:
            with Segment.of(text.encode()) as source:
                reply = session.ask(request, [source.descriptor], seconds=limits.build_s + _ANSWER_S)
        finally:
            session.discard()
    finally:
        sandboxes.close()
    if reply["op"] == "raised":
        raise raised(reply, exercise.file, text)
    return of_a_cuda_file(reply, text)


def of_a_cuda_file(reply: dict[str, Any], text: str) -> Compiled:
    """What a reply of nvcc's worker says, its form checked before."""
    return evidence(reply, text, _is_kernel)


def _is_kernel(name: str, text: str) -> bool:
    """Whether a kernel's name can be shown, with the arguments of its template: nvcc has seen no input."""
    own = _own_name(name)
    return own.isidentifier() and name.isprintable() and len(name) <= _MAX_NAME and known_name(own, text)


def _own_name(name: str) -> str:
    """`scale` of `lecture::scale<float, 4>`."""
    return name.partition("<")[0].rpartition("::")[2]


def _tensor(value: Any) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{type(value).__name__} cannot be sent to a compiler")
    return value


def evidence(reply: dict[str, Any], text: str, is_known: Callable[[str, str], bool] = known_name) -> Compiled:
    """What a reply says, its form checked before, no longer than an honest one; names stand in the file's `text`."""
    refusal = reply["refusal"] and Refusal(*reply["refusal"])
    rows = reply["kernels"][:MAX_KERNELS]
    kernels = tuple(Kernel.of([row[0] if is_known(row[0], text) else "a kernel", *row[1:]]) for row in rows)
    return Compiled(kernels, refusal or None, (reply["problem"] or "")[:MAX_TEXT])
