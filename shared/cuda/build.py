"""Kernel files into shared libraries, for the CPU and for the GPU."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from shared.cuda import compilers
from shared.cuda.compilers import find_cpu_compiler, find_gpu_compiler
from shared.cuda.diagnostics import (
    PROTOTYPE_HEADER,
    CompileError,
    Diagnostic,
    NotEmulated,
    at_lines,
    from_output,
)
from shared.cuda.prototype import Prototype, entries, header
from shared.cuda.rewrite import RewriteError, UnreadableError, rewrite, unsupported
from shared.cuda.runtime_objects import INCLUDE, compiled_runtime, kernel_flags, send_allocations
from shared.cuda.tokens import is_code, tokens

__all__ = [
    "CompileError",
    "Diagnostic",
    "NotEmulated",
    "build_cpu",
    "build_gpu",
    "find_cpu_compiler",
    "find_gpu_compiler",
    "prepare_cpu",
    "run_nvcc",
]

_GPU_FLAGS = ("-O3", "-lineinfo", "-std=c++17")
_LIBRARY_FLAGS = ("-shared", "-Xcompiler", "-fPIC")


def prepare_cpu(cache_dir: Path) -> Path:
    """Compile the runtime into the cache, unless it is there; its own folder in it. Raises RuntimeError."""
    return compiled_runtime(_need(find_cpu_compiler(), "a C++ compiler (g++ or clang++)"), cache_dir).prelude.parent


def build_cpu(
    source: str,
    filename: str,
    prototypes: Iterable[Prototype],
    out_dir: Path,
    cache_dir: Path,
    timeout_s: float,
) -> Path:
    """Compile a kernel file's text for the CPU; return the shared library in `out_dir`.

    filename is the name that messages show. Raises NotEmulated if the file needs a GPU,
    CompileError if it is wrong, RuntimeError if there is no compiler.
    """
    out_dir = out_dir.resolve()  # the compiler runs in it
    compiler = _need(find_cpu_compiler(), "a C++ compiler (g++ or clang++)")
    runtime = compiled_runtime(compiler, cache_dir)
    prototypes = tuple(prototypes)
    emulated = out_dir / "emulated.cpp"
    emulated.write_text(_emulated(source, filename))
    library = out_dir / f"{Path(filename).stem}_cpu.so"
    end = time.monotonic() + timeout_s
    object_ = emulated.with_suffix(".o")
    declared = _write_header(prototypes, out_dir, entries(prototypes))
    command = [compiler, *kernel_flags(compiler), "-fno-diagnostics-show-caret", "-include", str(runtime.prelude)]
    command += ["-include", declared, "-c", emulated.name, "-o", str(object_)]
    _compile(command, filename, out_dir, timeout_s)
    send_allocations(compiler, object_)
    # Linked without the compiling flags: -fsanitize would bring the compiler's library along. The
    # runtime comes first, so that its globals exist before the file's own constructors run.
    command = [compiler, "-shared", *map(str, runtime.objects), str(object_), "-o", str(library)]
    if sys.platform == "linux":
        command.append("-Wl,-z,defs")  # a missing function is an error now, not when it is loaded
    _compile(command, filename, out_dir, max(end - time.monotonic(), 1.0))
    _check_functions(library, source, filename, prototypes, out_dir)
    return library


def build_gpu(
    source: str,
    filename: str,
    prototypes: Iterable[Prototype],
    out_dir: Path,
    arch: str,
    timeout_s: float,
) -> Path:
    """Compile a kernel file's text with nvcc for `arch`, such as "sm_90"; return the library.

    Raises CompileError if the file is wrong, RuntimeError if there is no nvcc.
    """
    prototypes = tuple(prototypes)
    library = out_dir.resolve() / f"{Path(filename).stem}_gpu.so"
    run_nvcc(source, filename, prototypes, out_dir, (*_LIBRARY_FLAGS, f"-arch={arch}"), library, timeout_s)
    _check_functions(library, source, Path(filename).name, prototypes, out_dir)
    return library


def run_nvcc(
    source: str,
    filename: str,
    prototypes: Iterable[Prototype],
    out_dir: Path,
    flags: Iterable[str],
    target: Path,
    timeout_s: float,
) -> str:
    """Compile a kernel file's text with nvcc into `target`; return what it says. Raises as `build_gpu`."""
    out_dir = out_dir.resolve()  # the compiler runs in it
    compiler = _need(find_gpu_compiler(), "nvcc")
    path = out_dir / Path(filename).name
    path.write_text(source)
    command = [compiler, *_GPU_FLAGS, *flags, "-include", _write_header(prototypes, out_dir)]
    return _compile([*command, path.name, "-o", str(target.resolve())], path.name, out_dir, timeout_s)


def _need(compiler: str | None, what: str) -> str:
    if compiler is None:
        raise RuntimeError(f"{what} is not installed")
    return compiler


def _emulated(source: str, filename: str) -> str:
    found = [
        Diagnostic(line, "error", f"{feature} cannot be run without a GPU") for line, feature in unsupported(source)
    ]
    if found:
        raise at_lines(filename, found, NotEmulated)
    try:
        return rewrite(source, filename)
    except RewriteError as error:
        kind = NotEmulated if isinstance(error, UnreadableError) else CompileError
        raise at_lines(filename, [Diagnostic(error.line, "error", error.reason)], kind) from None


def _write_header(prototypes: Iterable[Prototype], out_dir: Path, more: str = "") -> str:
    (out_dir / PROTOTYPE_HEADER).write_text(header(prototypes) + more)
    return PROTOTYPE_HEADER


def _compile(command: list[str], filename: str, out_dir: Path, timeout_s: float) -> str:
    try:
        outcome = compilers.run(command, out_dir, timeout_s)
    except compilers.CompilerTimeout:
        message = f"the compiler did not finish within {timeout_s:g} s"
        raise at_lines(filename, [Diagnostic(None, "error", message)]) from None
    if outcome.returncode != 0:
        output = outcome.output.replace(f"{out_dir}/", "").replace(f"{INCLUDE}/", "")
        raise from_output(filename, output)
    return outcome.output


def _check_functions(library: Path, source: str, filename: str, prototypes: Iterable[Prototype], out_dir: Path) -> None:
    """Raise CompileError if a function of the exercise is missing from the library."""
    symbols = _defined_symbols(library, out_dir)
    missing = [
        _missing(prototype, source, filename, symbols) for prototype in prototypes if prototype.name not in symbols
    ]
    if missing:
        error = CompileError(missing, "\n".join(diagnostic.message for diagnostic in missing))
        raise error


def _defined_symbols(library: Path, out_dir: Path) -> frozenset[str]:
    """Return the names that the library defines. Loading it would run its constructors."""
    nm = _need(shutil.which("nm"), "nm (part of binutils)")
    output = compilers.run([nm, str(library)], out_dir, timeout_s=30).output
    rows = [row.split() for row in output.splitlines()]
    names = (row[2] for row in rows if len(row) == 3 and row[1] in "TtWw")
    strip = 1 if sys.platform == "darwin" else 0  # there each C name has one more underscore
    return frozenset(name[strip:] for name in names)


def _missing(prototype: Prototype, source: str, filename: str, symbols: frozenset[str]) -> Diagnostic:
    name = prototype.name
    message = f'{filename} defines no function "{name}"; expected: {prototype}'
    mangled = re.compile(rf"^_Z.*(?<!\d){len(name)}{name}")
    if any(mangled.match(symbol) for symbol in symbols):
        message = (
            f'{filename} defines a C++ function "{name}", but with other parameters or inside a '
            f'namespace or class; expected: extern "C" {prototype}'
        )
    return Diagnostic(_line_of(name, source), "error", message)


def _line_of(name: str, source: str) -> int | None:
    """Return the line where a function of that name seems to be declared."""
    words = [token for token in tokens(source) if is_code(token)]
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if word.text == name and before.text == "int" and after.text == "(":
            return word.line
    return None
