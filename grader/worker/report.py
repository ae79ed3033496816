"""Turn what a student's code raised into a reply: type, text, and the student's own lines."""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

from shared.compiled_kernels import Compiled

_MAX_TEXT = 2000
_MAX_FRAMES = 12
_MAX_KERNELS, _MAX_REASON = 20, 300
_WRAPPERS = ("InterpreterError", "CompilationError")  # Triton's: the reason is in their cause


def raised(error: BaseException, file: str) -> dict[str, Any]:
    """A reply for an exception; `file` is the student's (its base name)."""
    chain = _chain(error)
    reason = chain[-1] if type(error).__name__ in _WRAPPERS else error
    frames = [frame for link in chain for frame in _own_frames(link, file)]
    return {
        "op": "raised",
        "type": type(reason).__name__[:200],
        "message": _text(reason),
        "frames": frames[-_MAX_FRAMES:],
        "not_implemented": any(isinstance(link, NotImplementedError) for link in chain),
    }


def faulted(fault: Any, file: str) -> dict[str, Any]:
    """A reply for what a Triton kernel did wrong: an exception with a `kind`."""
    return {**raised(fault, file), "fault": {"kind": str(fault.kind), "text": _text(fault)}}


def unbuilt(diagnostics: list[list[Any]], text: str = "") -> dict[str, Any]:
    """A reply for a file that the compiler or Python's parser refuses: [line, severity, message] each."""
    return {"op": "unbuilt", "diagnostics": diagnostics[:20], "text": text[:_MAX_TEXT]}


def compiled(found: Compiled) -> dict[str, Any]:
    """A reply for what a GPU's compiler says of a file's kernels."""
    refusal = found.refusal and replace(found.refusal, reason=found.refusal.reason[:_MAX_REASON])
    return {
        "op": "compiled",
        "kernels": [kernel.row() for kernel in found.kernels[:_MAX_KERNELS]],
        "refusal": refusal and refusal.row(),
        "problem": found.problem[:_MAX_REASON] or None,
    }


def invalid(summary: str, diagnosis: str) -> dict[str, Any]:
    """A reply for a file without the functions asked for."""
    return {"op": "invalid", "summary": summary[:_MAX_TEXT], "diagnosis": diagnosis[:_MAX_TEXT]}


def _chain(error: BaseException) -> list[BaseException]:
    """The error and its causes, outermost first."""
    links = [error]
    while links[-1].__cause__ is not None and len(links) < 10:
        links.append(links[-1].__cause__)
    return links


def _own_frames(error: BaseException, file: str) -> list[list[Any]]:
    frames = traceback.extract_tb(error.__traceback__)
    return [
        [frame.lineno or 0, frame.name[:80], (frame.line or "")[:200]]
        for frame in frames
        if Path(frame.filename).name == file
    ]


def _text(error: BaseException) -> str:
    """The exception's own text; a `__str__` that raises is the student's too."""
    try:
        return str(error)[:_MAX_TEXT]
    except BaseException as second:
        return f"(its text cannot be printed: {type(second).__name__})"
