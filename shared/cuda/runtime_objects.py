"""The emulator's runtime and headers, compiled once into a cache that all kernel files share."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from shared.cuda import compilers

_EMULATOR = Path(__file__).with_name("emulator")
INCLUDE = _EMULATOR / "include"
SOURCES = _EMULATOR / "runtime"
# The buffers of a kernel may be seen through several types, and stacks are switched by hand: hence
# no strict aliasing and no fortified longjmp. Contraction stays off so that all machines agree.
COMMON_FLAGS = (
    "-std=c++17",
    "-fPIC",
    "-w",
    "-fvisibility=hidden",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-U_FORTIFY_SOURCE",
)
_PLAIN = ("-O1", "-g1", "-fsanitize=alignment")
# The runtime answers the checks itself (hooks.cpp, arithmetic.cpp, alignment.cpp): the compiler's own libraries are not
# linked. Of -fsanitize=thread only the calls before accesses are wanted: -fsanitize=address, meant for the same, leaves
# out the store in `a[i] += b`. Without SRA a float4 is read in one access, as on a GPU.
_CHECKED = (
    "-O1",
    "-g1",  # lines, and no more
    "-DCUDA_EMULATOR_CHECKED",
    "-fsanitize=thread",
    "--param=tsan-instrument-func-entry-exit=0",
    "--param=tsan-distinguish-volatile=1",
    "-fno-tree-sra",
    "-fsanitize=alignment,bounds,signed-integer-overflow,integer-divide-by-zero",
)
_ALLOCATION = ("malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm")
_PRELUDE = "prelude.h"
_TIMEOUT_S = 120.0


def is_checking(compiler: str) -> bool:
    """Whether this compiler reports every access; clang splits vectors, and macOS links otherwise."""
    return "clang" not in compilers.version(compiler) and sys.platform == "linux"


def kernel_flags(compiler: str) -> tuple[str, ...]:
    """How a kernel file is compiled."""
    return (*COMMON_FLAGS, *(_CHECKED if is_checking(compiler) else _PLAIN), "-I", str(INCLUDE))


def send_allocations(compiler: str, object_: Path) -> None:
    """Send what a kernel file has from `malloc` and `new` to the checks (heap.cpp), by binutils' objcopy."""
    tool = shutil.which("objcopy")
    if tool is not None and is_checking(compiler):
        renamed = [f"--redefine-sym={name}=cuda_emulator_own_{name}" for name in _ALLOCATION]
        compilers.run([tool, *renamed, str(object_)], object_.parent, _TIMEOUT_S)


@dataclass(frozen=True)
class CompiledRuntime:
    """A directory of the cache. `prelude` is a header to include first; it is precompiled."""

    prelude: Path
    objects: tuple[Path, ...]


def compiled_runtime(compiler: str, cache_dir: Path) -> CompiledRuntime:
    """Return the compiled runtime, compiling it if this compiler has not yet.

    Raises RuntimeError if they do not compile.
    """
    directory = cache_dir.resolve() / f"cuda-runtime-{_key(compiler)}"
    if not directory.is_dir():
        _compile(compiler, directory)
    return CompiledRuntime(directory / _PRELUDE, tuple(sorted(directory.glob("*.o"))))


def _key(compiler: str) -> str:
    digest = hashlib.sha256()
    # Not the place of the headers: a worker that reads this cache has a copy of them elsewhere.
    digest.update("\0".join((compilers.version(compiler), *COMMON_FLAGS, *_CHECKED)).encode())
    for path in sorted(p for p in _EMULATOR.rglob("*") if p.suffix in (".h", ".cpp")):
        digest.update(str(path.relative_to(_EMULATOR)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _compile(compiler: str, directory: Path) -> None:
    """Fill the directory under another name first: whoever sees it sees all of it."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=directory.parent, prefix=".cuda-runtime-"))
    try:
        _precompile(compiler, temporary)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(_compile_one, compiler, source, temporary) for source in _sources(compiler)]
        for job in jobs:
            job.result()
        _publish(temporary, directory)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _sources(compiler: str) -> list[Path]:
    """The runtime's parts; without reports of accesses there is nobody to answer them to."""
    answering = () if is_checking(compiler) else ("hooks", "heap")
    return [path for path in sorted(SOURCES.glob("*.cpp")) if path.stem not in answering]


def _compile_one(compiler: str, source: Path, directory: Path) -> None:
    output = directory / f"{source.stem}.o"
    _run(compiler, [*COMMON_FLAGS, "-O2", "-I", str(INCLUDE), "-c", str(source)], output)


def _precompile(compiler: str, directory: Path) -> None:
    """Precompile what every kernel file includes. g++ finds X.h.gch where it looks for X.h.

    A g++ that cannot use it reads the header instead: that is slower, no more. clang++ refuses one
    that has been moved.
    """
    prelude = directory / _PRELUDE
    prelude.write_text("#include <cuda_runtime.h>\n")
    if "clang" in compilers.version(compiler):
        return
    output = directory / f"{_PRELUDE}.gch"
    _run(compiler, [*kernel_flags(compiler), "-x", "c++-header", str(prelude)], output)


def _run(compiler: str, arguments: list[str], output: Path) -> None:
    outcome = compilers.run([compiler, *arguments, "-o", str(output)], output.parent, _TIMEOUT_S)
    if outcome.returncode != 0:
        raise RuntimeError(f"the CUDA emulator does not compile:\n{outcome.output}")


def _publish(temporary: Path, directory: Path) -> None:
    try:
        os.rename(temporary, directory)  # noqa: PTH104 - the errors below are os.rename's
    except OSError:
        if not directory.is_dir():  # else another process was faster: its files are the same
            raise
