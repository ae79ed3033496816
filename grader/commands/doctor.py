"""`doctor`: what this machine has, what that means for grading, and whether a known-good kernel runs here."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader import requirements
from grader.boundary import sandbox
from grader.boundary.sandbox import Level, cgroups
from grader.boundary.workers import Workers
from grader.errors import GraderError
from grader.exercise import Entry, Exercise, Limits, Points
from grader.records import Failure
from shared import machine
from shared.cuda import build, prototype

KNOWN_GOOD = Path(__file__).resolve().parent.parent / "known_good"


@dataclass(frozen=True)
class Row:
    """One line: what was looked for, what was found, what it means or which command mends it."""

    what: str
    found: str
    meaning: str
    ok: bool = True


def run() -> int:
    """Print the table; 0 when something can be graded here, 1 otherwise."""
    console = Console()
    table = Table(box=None, header_style="dim", pad_edge=False)
    for heading in ("", "", "found", "what it means"):
        table.add_column(heading)
    rows = [*_software(), *_hardware(), *_sandbox()]
    with console.status("running known-good kernels …"):
        kernels = list(_kernels())
    for row in (*rows, *kernels):
        mark = Text("✓", style="green") if row.ok else Text("✗", style="yellow")
        table.add_row(mark, row.what, Text(row.found), Text(row.meaning))
    console.print(table)
    return 0 if any(row.ok for row in kernels) else 1


def _software() -> Iterator[Row]:
    yield Row("Python", platform.python_version(), f"{sys.executable}", sys.version_info >= (3, 10))
    for package, minimum, use in (("torch", "2.9", "every comparison"), ("triton", "3.5", "Triton exercises")):
        found = requirements.installed_version(package)
        needed = f"{use}; at least {minimum} is expected"
        yield Row(package, found or "not installed", needed, bool(found))
    compiler = build.find_cpu_compiler()
    missing = requirements.INSTALL_CXX.get(sys.platform, "install g++ or clang++")
    yield Row(
        "C++ compiler", compiler or "none", "runs .cu files without a GPU" if compiler else missing, bool(compiler)
    )
    nvcc = build.find_gpu_compiler()
    yield Row("nvcc", nvcc or "none", _NVCC_GIVES if nvcc else requirements.INSTALL_NVCC_ALONE, bool(nvcc))


_NVCC_GIVES = "compiles .cu files; without a GPU it says what it would refuse, and each kernel's registers and spills"


def _hardware() -> Iterator[Row]:
    count = machine.cuda_device_count()
    if not count:
        meaning = "everything but speed is graded on the CPU"
        yield Row("GPU", "none", meaning, False)
    for index in range(count):
        name = f"{machine.cuda_device_name(index)}, {machine.cuda_memory_gb(index):.0f} GB"
        usable = requirements.torch_has_cuda()
        meaning = "--device cuda works" if usable else "the installed torch is a CPU build: it cannot use it"
        yield Row(f"GPU {index}", name, meaning, usable)
    if count:
        lacking = requirements.missing_for_timing()
        yield Row("timing", "missing packages" if lacking else "ready", lacking or "speed can be judged", not lacking)
    free = shutil.disk_usage(Path.cwd()).free / 2**30
    yield Row("memory", f"{machine.host_memory_gb():.0f} GB", "2 GB are enough for the CPU cases")
    yield Row("disk", f"{free:.0f} GB free", "caches need less than 1 GB", free > 1)


def _sandbox() -> Iterator[Row]:
    """The best level that this host gives; a better one that it lacks comes with what mends it."""
    for level, lack in sandbox.lacks().items():
        if lack is None:
            yield Row(f"sandbox: {level.value}", "the best here", _HOLDS[level], level is not Level.NONE)
            break
        yield Row(f"sandbox: {level.value}", lack.reason, f"try: {lack.mend}", False)
    walls = cgroups.available()
    without = "none can be made here: a watchdog looks at memory every 50 ms"
    yield Row("memory wall", walls or "watchdog", "around each sandbox" if walls else without)


_HOLDS = {
    Level.NAMESPACES: "strangers' files can be graded: nothing of this machine is in reach",
    Level.UID: "strangers' files can be graded in this container: staff's files are closed to them",
    Level.NONE: "no sandbox: for your own files only; a submission can read and delete what you can",
}


def _kernels() -> Iterator[Row]:
    """Run each known-good kernel on each device that is here."""
    devices = ["cpu"]
    if machine.cuda_device_count() and requirements.torch_has_cuda():
        devices.append("cuda")
    for device in devices:
        for what, exercise in (("Triton", _triton()), ("CUDA", _cuda())):
            blocked = requirements.missing(exercise, device)
            if blocked is not None:
                yield Row(f"{what} on {device}", "not run", blocked.summary, False)
                continue
            yield _tried(f"{what} on {device}", exercise, device)


def _tried(what: str, exercise: Exercise, device: str) -> Row:
    try:
        right = _run(exercise, device)
    except (Failure, GraderError) as error:
        return Row(what, "failed", f"{error}", False)
    return Row(what, "right" if right else "wrong values", "a known-good kernel", right)


def _run(exercise: Exercise, device: str) -> bool:
    import torch

    from grader.boundary.host import Host
    from grader.boundary.proxy import SubmissionProxy

    x = torch.arange(1000, dtype=torch.float32)
    with Workers() as workers:
        host = Host(exercise, (exercise.folder / exercise.file).read_text(encoding="utf-8"), device, workers)
        proxy = SubmissionProxy(host, device)
        if exercise.is_cuda:
            y = torch.full_like(x, float("nan"))
            proxy.add_one(x, y, 1000)
        else:
            y = proxy.add_one(x)
        proxy.close()
        host.close()
    return torch.equal(y, x + 1)


def _triton() -> Exercise:
    entry = Entry(name="add_one", parameters=("x",), declaration="add_one(x)")
    return _exercise("triton_add.py", entry, requires=("triton",))


def _cuda() -> Exercise:
    declaration = "int add_one(const float* x, float* y, int n, cudaStream_t stream)"
    entry = Entry(name="add_one", parameters=("x", "y", "n"), declaration=declaration)
    return _exercise("cuda_add.cu", entry, prototypes=(prototype.parse(declaration),))


def _exercise(
    file: str,
    entry: Entry,
    requires: tuple[str, ...] = (),
    prototypes: tuple[prototype.Prototype, ...] = (),
) -> Exercise:
    """A known-good kernel in the form of an exercise, so that it takes the same path."""
    return Exercise(
        name="doctor",
        folder=KNOWN_GOOD,
        title="a known-good kernel",
        order=0,
        lecture="",
        file=file,
        stub_digest="",
        entries=(entry,),
        prototypes=prototypes,
        requires=requires,
        device="any",
        limits=Limits(),
        points=Points(visible=0, hidden=0),
        performance=(),
    )
