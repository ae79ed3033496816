"""What a worker's reply means: pure functions from a reply to a finding."""

from __future__ import annotations

from typing import Any

from grader.records import Failure, Finding
from grader.status import Status

NOT_YET_IMPLEMENTED = 31
"""cudaErrorNotYetImplemented: what the stub of a launcher returns, as `NotImplementedError` in Python."""

_FAULTS = {"memory": Status.MEMORY_ERROR, "race": Status.RACE}


class Raised(Failure):
    """The student's function raised; a test may expect that (`expect_error`)."""

    def __init__(self, finding: Finding, type_name: str, message: str) -> None:
        """Keep the exception's type and text beside the finding."""
        super().__init__(finding)
        self.type_name = type_name
        self.message = message


def raised(reply: dict[str, Any], file: str) -> Raised:
    """The student's own exception, with the student's own lines."""
    name, message = str(reply["type"]), str(reply["message"])
    lines = tuple(f"{file}:{line} in {function}: {text}" for line, function, text in reply["frames"])
    if reply["not_implemented"]:
        finding = Finding(
            Status.NOT_ATTEMPTED,
            "raised NotImplementedError",
            diagnosis="The stub's `raise NotImplementedError` is still there.",
            lines=lines,
        )
    else:
        finding = Finding(Status.RUNTIME_ERROR, f"raised {name}", details=message, lines=lines)
    return Raised(finding, name, message)


def unbuilt(reply: dict[str, Any], file: str) -> Finding:
    """A file that the compiler refuses, or that only a GPU can run."""
    lines = tuple(
        f"{file}:{line}: {severity}: {message}" if line else f"{file}: {severity}: {message}"
        for line, severity, message in reply["diagnostics"]
    )
    if not reply["emulated"]:
        return Finding(
            Status.NOT_RUN,
            f"{file} uses what the CPU cannot stand in for; it will be graded on a GPU",
            lines=lines or (str(reply["text"]),),
            environment=True,
        )
    return Finding(
        Status.COMPILE_ERROR,
        f"{file} does not compile",
        lines=lines or (str(reply["text"]).strip() or "the compiler gave no reason",),
    )


def invalid(reply: dict[str, Any]) -> Finding:
    """A file without the functions asked for."""
    return Finding(Status.INVALID_SUBMISSION, str(reply["summary"]), diagnosis=str(reply["diagnosis"]))


def launch_problem(entry: str, code: Any, fault: dict[str, Any] | None, text: str) -> Finding | None:
    """The finding for a launcher's fault or error code; None when there is neither.

    `text` is the code's name, such as `cudaErrorInvalidConfiguration`.
    """
    if code == NOT_YET_IMPLEMENTED:
        return Finding(
            Status.NOT_ATTEMPTED,
            f"{entry} returned cudaErrorNotYetImplemented",
            diagnosis="The stub's `return cudaErrorNotYetImplemented` is still there.",
        )
    if fault is not None:
        status = _FAULTS.get(str(fault["kind"]), Status.RUNTIME_ERROR)
        what = f"a launch of {entry} was refused" if fault["kind"] == "launch" else f"a kernel of {entry} failed"
        return Finding(status, what, diagnosis=str(fault["text"]))
    if code != 0:
        return Finding(
            Status.RUNTIME_ERROR,
            f"{entry} returned the error {code} ({text})",
            diagnosis="The launch was refused: look at the grid, the block and the shared memory.",
        )
    return None
