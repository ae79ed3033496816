"""What compilers say about a kernel file, freed of paths and of lines that help nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

PROTOTYPE_HEADER = "prototypes.h"
PROTOTYPE_NAME = "<the prototype that the exercise declares>"
_MAX_SHOWN = 20
# Names that rewriting makes: a type in words instead, and no message about a name alone.
_MADE_TYPE = re.compile(r"'\w+_shared_type' \{aka '([^']*)'\}")
_MADE_LOST = re.compile(r"'(\w+)_shared_type' was not declared")
_MADE_NAME = re.compile(r"\w+_shared_(type|key)\b|cuda_emulator")

_GNU = re.compile(
    r"^(?P<file>[^:\s][^:]*):(?P<line>\d+)(?::\d+)?: "
    r"(?P<severity>fatal error|error|warning|note): (?P<message>.*)$"
)
_NVCC = re.compile(
    r"^(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): "
    r"(?P<severity>(?:catastrophic |fatal )?error|warning|note|remark)(?: #[\w-]+)?: "
    r"(?P<message>.*)$"
)
_TOOL = re.compile(r"^(?P<tool>ptxas|nvcc|nvlink|collect2) (?:fatal|error)\s*: (?P<message>.*)$")
_REQUIRED = re.compile(r"^(?P<file>[^:\s][^:]*):(?P<line>\d+)(?::\d+)?:\s+required from")
_LINKER = re.compile(r"(?P<file>[^:/\s]+):(?P<line>\d+): (?P<message>(?:undefined reference|multiple definition)[^;]*)")


@dataclass(frozen=True)
class Diagnostic:
    """One message; `line` is in the kernel file, None if the message is about no line of it.

    severity is error, warning or note.
    """

    line: int | None
    severity: str
    message: str


class CompileError(Exception):
    """A kernel file that a compiler refuses; `text` is what to show."""

    def __init__(self, diagnostics: Iterable[Diagnostic], text: str) -> None:
        """Keep both as the exception's arguments, so that it can be pickled."""
        self.diagnostics = tuple(diagnostics)
        self.text = text
        super().__init__(self.diagnostics, text)

    def __str__(self) -> str:
        return self.text


class NotEmulated(CompileError):
    """A kernel file that may be right but needs a GPU."""


def at_lines(filename: str, found: Iterable[Diagnostic], kind: type[CompileError] = CompileError) -> CompileError:
    """Return the error that shows these diagnostics, one a line."""
    found = tuple(found)
    return kind(found, "\n".join(_shown(filename, diagnostic) for diagnostic in found))


def from_output(filename: str, output: str) -> CompileError:
    """Return the error that a compiler's or linker's output describes."""
    found = _relevant(_parse(filename, output))
    if not any(diagnostic.severity == "error" for diagnostic in found):
        return CompileError((Diagnostic(None, "error", output.strip()),), output.strip())
    left_out = len(found) - _MAX_SHOWN
    error = at_lines(filename, found[:_MAX_SHOWN])
    if left_out > 0:
        error.text += f"\n({left_out} more messages)"
    return error


def _shown(filename: str, diagnostic: Diagnostic) -> str:
    place = filename if diagnostic.line is None else f"{filename}:{diagnostic.line}"
    if diagnostic.message.startswith(PROTOTYPE_NAME):
        return diagnostic.message
    return f"{place}: {diagnostic.severity}: {diagnostic.message}"


def _parse(filename: str, output: str) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    user: int | None = None  # the kernel file's line that a template was used on
    for row in output.splitlines():
        required = _REQUIRED.match(row)
        if required is not None and _base(required["file"]) == filename:
            user = int(required["line"])
        diagnostic = _diagnostic(filename, row, user)
        if diagnostic is not None:
            found.append(diagnostic)
            user = user if diagnostic.severity == "note" else None
    return found


def _relevant(found: list[Diagnostic]) -> list[Diagnostic]:
    """Drop warnings, and what follows from an error in the text that rewriting made."""
    found = [diagnostic for diagnostic in found if diagnostic.severity != "warning"]
    lost = {match[1] for match in map(_MADE_LOST.search, (d.message for d in found)) if match}
    kept = [
        diagnostic
        for diagnostic in found
        if not _MADE_NAME.search(diagnostic.message)
        and not any(diagnostic.message.startswith(f"'{name}' was not") for name in lost)
    ]
    return kept if any(diagnostic.severity == "error" for diagnostic in kept) else found


def _diagnostic(filename: str, row: str, user: int | None) -> Diagnostic | None:
    match = _GNU.match(row) or _NVCC.match(row)
    if match is not None:
        return _placed(filename, match, user)
    linker = _LINKER.search(row)
    if linker is not None and linker["file"] == filename:
        return Diagnostic(int(linker["line"]), "error", linker["message"])
    tool = _TOOL.match(row)
    if tool is not None and tool["tool"] != "collect2":
        return Diagnostic(None, "error", tool["message"])
    return None


def _placed(filename: str, match: re.Match[str], user: int | None) -> Diagnostic | None:
    severity = match["severity"].split()[-1]
    base = _base(match["file"])
    if base == filename:
        return Diagnostic(int(match["line"]), severity, _readable(match["message"]))
    if base == PROTOTYPE_HEADER:
        return Diagnostic(None, severity, f"{PROTOTYPE_NAME}: {severity}: {match['message']}")
    # In a header of the system or the emulator: the line that led there is what matters.
    return None if severity == "note" else Diagnostic(user, severity, _readable(match["message"]))


def _readable(message: str) -> str:
    return _MADE_TYPE.sub(r"'\1'", message).removesuffix(" [-fpermissive]")


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]
