"""What a worker's reply means: pure functions from a reply to a finding."""

from __future__ import annotations

import builtins
import re
from dataclasses import astuple
from typing import Any

from grader.boundary import faults
from grader.records import Failure, Finding
from grader.status import Status
from shared import traffic

NOT_YET_IMPLEMENTED = 31
"""cudaErrorNotYetImplemented: what the stub of a launcher returns, as `NotImplementedError` in Python."""

_KERNEL = (str, *(int,) * 8)  # of `compiled_kernels.Kernel`
_LARGEST = 1e12  # of the numbers in a reply
_HANDLE_BYTES = 64  # of a cudaIpcMemHandle_t
_MAX_SITES, _MAX_NAME = 5000, 200  # of what a call moves
MAX_LIBRARY_BYTES = 64 << 20
"""Of a compiled `.cu` file."""

MAX_FRAMES = 12
MAX_DIAGNOSTICS = 20
MAX_TEXT = 2000
"""Of a traceback, of a compiler, and of each text: as much as an honest worker sends."""

_FAULTS = {
    "memory": Status.MEMORY_ERROR,
    "uninitialised": Status.MEMORY_ERROR,
    "race": Status.RACE,
    "timeout": Status.TIMEOUT,
}
_FAULTY = {
    "memory": (Status.MEMORY_ERROR, "a kernel leaves the memory of its tensors"),
    "padding": (Status.MEMORY_ERROR, "a kernel touches memory between or around the elements of its input"),
    "race": (Status.RACE, "a kernel stores different values in one element"),
    "uninitialised": (Status.MEMORY_ERROR, "a kernel reads what nobody has written"),
}
"""What Triton's checks find: the status, and all that a hidden case shows of it beside the student's line."""


_FORMS: dict[str, dict[str, tuple[type, ...]]] = {
    "loaded": {},
    "built": {"num_bytes": (int,)},
    "invalid": {"summary": (str,), "diagnosis": (str,)},
    "unbuilt": {"diagnostics": (list,), "text": (str,)},
    "raised": {"type": (str,), "message": (str,), "frames": (list,), "not_implemented": (bool,)},
    "returned": {"value": (object,), "fault": (dict, type(None))},
    "compiled": {"kernels": (list,), "refusal": (list, type(None)), "problem": (str, type(None))},
    "fetched": {},
    "shared": {},
    "held": {},
    "collected": {"outputs": (list,)},
    "prepared": {},
    "raced": {"addresses": (list,), "events_ms": (int, float)},
    "named": {"outputs": (list,), "segments": (list,)},
    "profiled": {"kernels": (list,)},
    "callback": {"function": (int,), "args": (object,), "kwargs": (object,)},
}
_ANSWERS = {
    "load": ("loaded", "invalid", "unbuilt", "callback"),
    "build": ("built", "unbuilt"),
    "call": ("returned", "callback"),
    "compile": ("compiled",),
    "fetch": ("fetched",),
    "share": ("shared",),
    "hold": ("held",),
    "collect": ("collected",),
    "prepare": ("prepared",),
    "batch": ("raced",),
    "name": ("named",),
    "profile": ("profiled",),
}


def check_form(request: str, reply: dict[str, Any]) -> None:
    """Raise ValueError unless the reply is one that this request can have, with every field of its kind."""
    op = reply.get("op")
    if op != "raised" and op not in _ANSWERS[request]:
        raise ValueError(f"an answer {op!r} to {request!r}")
    for field, kinds in _FORMS[op].items():
        if field not in reply or not isinstance(reply[field], kinds):
            raise ValueError(f"a field {field!r} that is none")
    if op == "built" and not 0 < reply["num_bytes"] <= MAX_LIBRARY_BYTES:
        raise ValueError("a library of no size that is possible")
    fault = reply.get("fault")
    if fault is not None and not _is_fault(fault):
        raise ValueError("a fault that is none")
    if not all(type(address) is int for address in _rows(reply, "addresses")):
        raise ValueError("addresses that are none")
    for segment in _rows(reply, "segments"):
        _check_row(segment, (int, str))
        if len(bytes.fromhex(segment[1])) != _HANDLE_BYTES:
            raise ValueError("a handle that is none")
    for kernel in _rows(reply, "kernels"):
        _check_row(kernel, _KERNEL if op == "compiled" else (str, int, float))
        _check_numbers(kernel[1:])
    if reply.get("refusal") is not None:
        _check_row(reply["refusal"], (str, int, str, str))
    _check_numbers([reply.get("events_ms", 0)])
    for output in _rows(reply, "outputs"):
        _check_output(output)
    for frame in _rows(reply, "frames"):
        _check_row(frame, (int, str, str))
    for operation in _rows(reply, "operations"):
        _check_row(operation, (str, int, int))
    if type(reply.get("launches", 0)) is not int:
        raise ValueError("a number of launches that is none")
    for diagnostic in _rows(reply, "diagnostics"):
        _check_row(diagnostic, (int, str, str), may_lack_line=True)
    if reply.get("traffic") is not None:
        _check_traffic(reply["traffic"])


def _is_fault(fault: Any) -> bool:
    return isinstance(fault, dict) and all(isinstance(fault.get(field), str) for field in ("kind", "text"))


def _rows(reply: dict[str, Any], field: str) -> list[Any]:
    """A list, also where the reply has no such field; raise ValueError for anything else."""
    rows = reply.get(field, [])
    if not isinstance(rows, list):
        raise ValueError(f"a field {field!r} that is none")
    return rows


def _check_row(row: Any, kinds: tuple[type, ...], may_lack_line: bool = False) -> None:
    if not isinstance(row, list) or len(row) != len(kinds):
        raise ValueError("a row that is none")
    if not all(isinstance(value, kind) for value, kind in zip(row[1:], kinds[1:], strict=True)):
        raise ValueError("a row of other kinds")
    if not isinstance(row[0], kinds[0]) and not (may_lack_line and row[0] is None):
        raise ValueError("a row without a line")


def _check_numbers(values: list[Any]) -> None:
    """Neither NaN nor infinite, nor so large that arithmetic with it fails."""
    if not all(type(value) in (int, float) and abs(value) < _LARGEST for value in values):
        raise ValueError("a number that is none")


def _check_traffic(message: Any) -> None:
    """Counts that arithmetic and a report can bear, of no more places than a file has."""
    if not isinstance(message, dict):
        raise ValueError("a traffic that is none")
    found = traffic.unpack(message)
    if len(found.sites) > _MAX_SITES or any(len(site.name) > _MAX_NAME for site in found.sites):
        raise ValueError("a traffic of too many places")
    counts = [number for site in found.sites for number in astuple(site) if not isinstance(number, str)]
    _check_numbers([found.launches, found.barriers, *counts])


def _check_output(output: Any) -> None:
    """The layout of a tensor, or the name of what is none."""
    if output is None or (isinstance(output, dict) and isinstance(output.get("other"), str)):
        return
    if not isinstance(output, dict) or not isinstance(output.get("dtype"), str):
        raise ValueError("an output that is none")
    shape, strides = output.get("shape"), output.get("strides")
    for lengths in (shape, strides):
        if not isinstance(lengths, list) or not all(type(n) is int and 0 <= n < 2**40 for n in lengths):
            raise ValueError("an output with a shape that is none")
    if len(shape or []) != len(strides or []):
        raise ValueError("an output whose strides do not fit its shape")


def known_name(name: str, source: str) -> bool:
    """Whether a name can be shown where values must not be: it stands in the student's text, or is Python's own.

    A name can be made at run time, and then hold what a hidden test gave.
    """
    last = name.rpartition(".")[2]
    return hasattr(builtins, last) or last in _LIBRARY_NAMES or re.search(rf"\b{re.escape(last)}\b", source) is not None


_LIBRARY_NAMES = frozenset(
    (
        *("OutOfMemoryError", "AcceleratorError", "CompilationError", "InterpreterError", "WireError"),
        *("Tensor", "Parameter", "Size", "device", "dtype", "ndarray", "Event", "Stream"),
        *("NoneType", "module", "function", "method", "builtin_function_or_method", "generator", "coroutine"),
    )
)


class Raised(Failure):
    """The student's function raised; a test may expect that (`expect_error`)."""

    def __init__(self, finding: Finding, type_name: str, message: str) -> None:
        """Keep the exception's type and text beside the finding."""
        super().__init__(finding)
        self.type_name = type_name
        self.message = message


def raised(reply: dict[str, Any], file: str, source: str) -> Failure:
    """The student's own exception, or the fault of a Triton kernel, with the student's own lines of `source`."""
    name, message = str(reply["type"])[:MAX_TEXT], str(reply["message"])[:MAX_TEXT]
    frames = reply["frames"][-MAX_FRAMES:]
    lines = tuple(_line(file, source, number, function) for number, function, _ in frames)
    fault = reply.get("fault")
    if fault is not None:
        status, summary = _FAULTY.get(str(fault["kind"]), (Status.RUNTIME_ERROR, "a kernel failed"))
        return Failure(Finding(status, summary, details=str(fault["text"])[:MAX_TEXT], lines=lines))
    if reply["not_implemented"]:
        finding = Finding(
            Status.NOT_ATTEMPTED,
            "raised NotImplementedError",
            diagnosis="The stub's `raise NotImplementedError` is still there.",
            lines=lines,
        )
    else:
        if known_name(name, source):
            shown, details = f"raised {name}", message
        else:
            shown, details = "raised an exception of a type made at run time", f"{name}: {message}"
        finding = Finding(Status.RUNTIME_ERROR, shown, details=details, lines=lines)
    return Raised(finding, name, message)


def _line(file: str, source: str, number: int, function: str) -> str:
    """One line of a traceback; its text is taken from the source, never from the worker, and so is its number."""
    rows = source.splitlines()
    is_there = 0 < number <= len(rows)
    text = rows[number - 1].strip() if is_there else ""
    where = function if function == "<module>" or known_name(function, source) else "?"
    return f"{file}:{number if is_there else '?'} in {where}: {text}"


def unbuilt(reply: dict[str, Any], file: str, emulated: bool) -> Finding:
    """A file that the compiler refuses, or (`emulated` false) that only a GPU can run."""
    lines = tuple(
        (f"{file}:{line}: {severity}: {message}" if line else f"{file}: {severity}: {message}")[:MAX_TEXT]
        for line, severity, message in reply["diagnostics"][:MAX_DIAGNOSTICS]
    )
    text = str(reply["text"])[:MAX_TEXT]
    if not emulated:
        return Finding(
            Status.NOT_RUN,
            f"{file} uses what the CPU cannot stand in for; it will be graded on a GPU",
            lines=lines or (text,),
            environment=True,
        )
    return Finding(
        Status.COMPILE_ERROR,
        f"{file} does not compile",
        lines=lines or (text.strip() or "the compiler gave no reason",),
    )


def invalid(reply: dict[str, Any]) -> Finding:
    """A file without the functions asked for."""
    summary, diagnosis = (str(reply[field])[:MAX_TEXT] for field in ("summary", "diagnosis"))
    return Finding(Status.INVALID_SUBMISSION, summary or "lacks what was asked for", diagnosis=diagnosis)


def launch_problem(
    entry: str, code: Any, fault: dict[str, Any] | None, text: str, file: str, source: str
) -> Finding | None:
    """The finding for a launcher's fault or error code; None when there is neither.

    `text` is the code's name, such as `cudaErrorInvalidConfiguration`; `source` is the text of `file`.
    """
    if type(code) is not int:
        return Finding(Status.CRASHED, "the process sent an error code that is no number")
    if code == NOT_YET_IMPLEMENTED:
        return Finding(
            Status.NOT_ATTEMPTED,
            f"{entry} returned cudaErrorNotYetImplemented",
            diagnosis="The stub's `return cudaErrorNotYetImplemented` is still there.",
        )
    if fault is not None:
        status = _FAULTS.get(str(fault["kind"]), Status.RUNTIME_ERROR)
        what = f"a launch of {entry} was refused" if fault["kind"] == "launch" else f"a kernel of {entry} failed"
        said = str(fault["text"])[:MAX_TEXT]
        if faults.is_plain(said, file, source):
            return Finding(status, what, diagnosis=said)
        return Finding(status, what, details=said)
    if code != 0:
        return Finding(
            Status.RUNTIME_ERROR,
            f"{entry} returned the error {code} ({text})",
            diagnosis="The launch was refused: look at the grid, the block and the shared memory.",
        )
    return None
