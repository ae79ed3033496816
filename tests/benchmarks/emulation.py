"""How long it takes to check and count kernels on the CPU: `nox -s benchmark -- emulation`.

Each figure is the median of some runs in a process of its own, with what it may take on two cores without a GPU.
"""

from __future__ import annotations

import argparse
import array
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from shared.cuda import build, prototype
from shared.cuda.library import CpuLibrary

ROOT = Path(__file__).resolve().parents[2]
GELU = "int gelu(const float* x, float* out, int64_t num_elements, cudaStream_t stream)"
MATMUL = "int matmul(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream)"
TILED = ROOT / "tests/shared_cuda/kernels/matmul_tiled.cu"

SOFTMAX = """
import importlib.util, sys, time
from pathlib import Path
import torch
from shared import triton_checks, triton_interpreter
triton_interpreter.correct()
triton_interpreter.warm_up()
spec = importlib.util.spec_from_file_location("triton_softmax", "solutions/triton_softmax/triton_softmax.py")
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
x = torch.randn(256, 1000)
seconds = []
for _ in range(int(sys.argv[1])):
    triton_checks.begin([x], counts=True)
    start = time.perf_counter()
    module.triton_softmax(x)
    seconds.append(time.perf_counter() - start)
print(sorted(seconds)[len(seconds) // 2])
"""


def runtime(cache: Path, runs: int) -> float:
    """The first compilation on a machine; once."""
    start = time.perf_counter()
    build.prepare_cpu(cache)
    return time.perf_counter() - start


def built(source: Path, declaration: str, cache: Path) -> tuple[Path, float]:
    """The library of a student's file, and the seconds that it took."""
    declared = [prototype.parse(declaration)]
    start = time.perf_counter()
    path = build.build_cpu(
        source.read_text("utf-8"), source.name, declared, Path(tempfile.mkdtemp(dir=cache)), cache, 60
    )
    return path, time.perf_counter() - start


def a_file(cache: Path, runs: int) -> float:
    """A student's file, compiled and linked."""
    source = ROOT / "solutions/cuda_gelu/cuda_gelu.cu"
    return statistics.median(built(source, GELU, cache)[1] for _ in range(runs))


def called(source: Path, declaration: str, count: int, numbers: tuple[int, ...], cache: Path, runs: int) -> float:
    """One call of a launcher on buffers of so many floats, checked and counted."""
    path, _ = built(source, declaration, cache)
    declared = prototype.parse(declaration)
    device = CpuLibrary(path, [declared])
    pointers = [parameter for parameter in declared.parameters if parameter.is_pointer]
    buffers = [device.allocate(4 * count, pointer.name, 4) for pointer in pointers]
    for buffer in buffers:
        device.write(buffer, array.array("f", [0.5]) * count)
    device.count_traffic(True)
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        if device.call(declared.name, (*buffers, *numbers)) or device.fault():
            raise SystemExit(f"{source.name}: {device.fault(source.name)}")
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def matmul(cache: Path, runs: int) -> float:
    """256 x 256 x 256 with tiles in shared memory."""
    return called(TILED, MATMUL, 256 * 256, (256, 256, 256), cache, runs)


def gelu(cache: Path, runs: int) -> float:
    """2^20 elements."""
    return called(ROOT / "solutions/cuda_gelu/cuda_gelu.cu", GELU, 1 << 20, (1 << 20,), cache, runs)


def softmax(cache: Path, runs: int) -> float:
    """256 x 1000 in Triton's interpreter."""
    command = [sys.executable, "-c", SOFTMAX, str(runs)]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


FIGURES: Sequence[tuple[str, Callable[[Path, int], float], float]] = (
    ("the CUDA runtime, compiled once per machine", runtime, 5.0),
    ("a student's .cu file, compiled", a_file, 0.7),
    ("tiled matmul in CUDA, 256³", matmul, 1.0),
    ("GELU in CUDA, 2^20 elements", gelu, 1.0),
    ("softmax in Triton, 256 × 1000", softmax, 1.0),
)


def main() -> None:
    """Print a table; exit 1 when a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    broken = 0
    print(f"| checked and counted ({os.cpu_count()} cores) | median, s | at most |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, figure, limit in FIGURES:
            with multiprocessing.get_context("fork").Pool(1) as pool:  # the runtime keeps its state in globals
                seconds = pool.apply(figure, (Path(folder), runs))
            broken += seconds > limit
            print(f"| {name} | {seconds:.2f} | {limit:g} |", flush=True)
    raise SystemExit(1 if broken else 0)


if __name__ == "__main__":
    main()
