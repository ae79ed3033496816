"""Ask a worker what Triton's compiler says of a submission's kernels. Its answer is a claim, as every reply is."""

from __future__ import annotations

from typing import Any

import torch

from grader.boundary.host import Host, Opener
from grader.boundary.lending import Lent
from grader.boundary.replies import known_name
from grader.boundary.server import COMPILER
from grader.exercise import Exercise
from grader.worker import values
from shared.compiled_kernels import Compiled, Kernel, Refusal

MAX_KERNELS = 20
MAX_TEXT = 300
"""As much as an honest worker sends."""


def compiled(exercise: Exercise, text: str, inputs: tuple[Any, ...], workers: Opener) -> Compiled:
    """Compile what a call of the first entry point with these inputs launches. Raises Failure."""
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


def _tensor(value: Any) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{type(value).__name__} cannot be sent to a compiler")
    return value


def evidence(reply: dict[str, Any], text: str) -> Compiled:
    """What a reply says, its form checked before, no longer than an honest one; names stand in the file's `text`."""
    refusal = reply["refusal"] and Refusal(*reply["refusal"])
    rows = reply["kernels"][:MAX_KERNELS]
    kernels = tuple(Kernel.of([row[0] if known_name(row[0], text) else "a kernel", *row[1:]]) for row in rows)
    return Compiled(kernels, refusal or None, (reply["problem"] or "")[:MAX_TEXT])
