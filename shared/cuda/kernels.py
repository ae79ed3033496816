"""What nvcc says of a kernel file where no GPU is: why it refuses it, or what each kernel is made of."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared import ptx
from shared.compiled_kernels import Compiled, Kernel, Refusal
from shared.cuda import build, compilers
from shared.cuda.diagnostics import CompileError, Diagnostic
from shared.cuda.prototype import Prototype

_FLAGS = ("-cubin", "--keep", "-Xptxas", "-v")  # kept: the PTX, which knows lines and loads
_ENTRY = re.compile(r"(?:\.(?:visible|weak) )*\.entry (\w+)")
_RESOURCES = re.compile(
    r"Function properties for (?P<name>\w+)\s+\d+ bytes stack frame, (?P<spills>\d+) bytes spill stores.*\n"
    r".*\bUsed (?P<registers>\d+) registers(?:.*?\b(?P<shared>\d+)(?:\+\d+)? bytes smem)?"
)
_LACKS = re.compile(r"No such file or directory|cannot open source file")  # a part of this machine's CUDA
_OF_THE_TARGET = re.compile(r"for this GPU architecture|\bsm_\d+|\bcompute_\d+|compute capability")
_UNNAMED = re.compile(r"\(anonymous namespace\)::")


@dataclass(frozen=True)
class Entry:
    """A kernel of the student's file in the PTX of a file."""

    symbol: str
    name: str  # as the student wrote it, with its namespace and the arguments of its template
    line: int  # of its definition
    ptx: str


def compiled(
    source: str, filename: str, prototypes: Iterable[Prototype], out_dir: Path, arch: str, timeout_s: float
) -> Compiled:
    """Compile a kernel file's text for `arch`, such as "sm_80", and run nothing. Raises RuntimeError without nvcc.

    `out_dir` is empty. Only what is certainly the student's is a refusal.
    """
    cubin = out_dir / "kernels.cubin"
    try:
        said = build.run_nvcc(source, filename, prototypes, out_dir, (*_FLAGS, f"-arch={arch}"), cubin, timeout_s)
    except CompileError as error:
        return refused(error.diagnostics, _entries(out_dir, filename))
    return described(said, _entries(out_dir, filename))


def refused(found: Sequence[Diagnostic], known: Sequence[Entry]) -> Compiled:
    """What errors mean; those of `ptxas` name a kernel."""
    errors = [diagnostic for diagnostic in found if diagnostic.severity == "error"]
    more = f" (the first of {len(errors)} errors)" if len(errors) > 1 else ""
    for error in errors:
        entry = next((entry for entry in known if f"'{entry.symbol}'" in error.message), None)
        line = error.line or (entry.line if entry else 0)
        if line and not _LACKS.search(error.message) and not _OF_THE_TARGET.search(error.message):
            said = error.message.replace(entry.symbol, entry.name) if entry else error.message
            return Compiled(refusal=Refusal(entry.name if entry else "", line, "", said + more))
    return Compiled(problem=f"nvcc failed: {_in_a_line(errors)}")


def _in_a_line(errors: Sequence[Diagnostic]) -> str:
    return " ".join(" … ".join(error.message for error in errors).split())


def described(said: str, known: Sequence[Entry]) -> Compiled:
    """The kernels, from what `ptxas -v` says and from their PTX."""
    resources = {match["name"]: match for match in _RESOURCES.finditer(said)}
    kernels = tuple(_kernel(entry, resources[entry.symbol]) for entry in known if entry.symbol in resources)
    is_all = len(kernels) == len(known)
    return Compiled(kernels, problem="" if is_all else "ptxas does not say what each kernel uses")


def _kernel(entry: Entry, used: re.Match[str]) -> Kernel:
    return Kernel(
        name=entry.name,
        line=entry.line,
        registers=int(used["registers"]),
        spill_bytes=int(used["spills"]),
        load_bytes=ptx.widest_load(entry.ptx),
        store_bytes=ptx.widest_store(entry.ptx),
        shuffles=ptx.shuffles(entry.ptx),
        uses_tensor_cores=ptx.uses_tensor_cores(entry.ptx),
        shared_bytes=int(used["shared"] or 0),
    )


def _entries(out_dir: Path, filename: str) -> list[Entry]:
    """The student's kernels, in the order of the file; none where nvcc got nowhere."""
    path = out_dir / f"{Path(filename).stem}.ptx"
    if not path.exists():
        return []
    found = list(_own(path.read_text(errors="replace"), Path(filename).name))
    names = _names([symbol for symbol, _, _ in found], out_dir)
    entries = [Entry(symbol, name, line, text) for name, (symbol, line, text) in zip(names, found, strict=True)]
    return sorted(entries, key=lambda entry: entry.line)


def _own(text: str, filename: str) -> Iterator[tuple[str, int, str]]:
    """Symbol, line and PTX of each kernel that the file itself defines; headers bring others along."""
    numbers = re.findall(rf'^\s*\.file\s+(\d+) "(?:[^"]*/)?{re.escape(filename)}"', text, re.MULTILINE)
    # Where a kernel or a function begins; a function's instructions belong to no kernel.
    for part in re.split(r"^(?=(?:\.(?:visible|weak|extern) )*\.(?:entry|func)\b)", text, flags=re.MULTILINE):
        entry, place = _ENTRY.match(part), re.search(r"^\s*\.loc\s+(\d+) (\d+)", part, re.MULTILINE)
        if entry and place and place[1] in numbers:
            yield entry[1], int(place[2]), part


def _names(symbols: Sequence[str], out_dir: Path) -> list[str]:
    """The names behind symbols, without parameters; the symbols themselves where nothing can tell."""
    tool = shutil.which("c++filt")  # of binutils, as `nm`
    if tool is None or not symbols:
        return list(symbols)
    names = compilers.run([tool, "-p", *symbols], out_dir, timeout_s=30).output.splitlines()
    return [_UNNAMED.sub("", name) for name in names] if len(names) == len(symbols) else list(symbols)
