"""How far the grader's clock can be trusted, on a GPU: `nox -s benchmark -- clock`.

Agreement: an honest call measured by the race, against the time of its kernels as CUPTI records it.
Spread: (p95 - p5) / median over repeated measurements of the same submission.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from grader.boundary.host import Host
from grader.boundary.workers import Workers
from grader.exercise import Exercise, PerformanceCase, load
from grader.timing import ceilings
from grader.timing.measurement import Job, Measurement
from grader.timing.process import as_baseline, measure, reference_text
from shared import machine

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = "triton_softmax"
HONEST = "import torch\n\n\ndef triton_softmax(x):\n    return torch.softmax(x, dim=-1)\n"
AGREEMENT = ((6144, 4096), (8192, 8192), (16384, 16384), (32768, 32768))  # about 0.1, 0.3, 1 and 5 ms
SPREAD = ((4096, 4096), (8192, 8192), (8192, 16384))


class Bench:
    """Two warm workers, and one measurement after the other."""

    def __init__(self, workers: Workers) -> None:
        self.exercise: Exercise = load(ROOT / "exercises" / EXERCISE)
        self.before = ceilings.measure()
        workers.prepare(self.exercise, "cuda", count=2)
        self.submission = Host(self.exercise, HONEST, "cuda", workers)
        self.baseline = Host(as_baseline(self.exercise), reference_text(self.exercise), "cuda", workers)

    def measure(self, shape: tuple[int, int], seed: int) -> Measurement:
        arguments = {"num_rows": shape[0], "num_cols": shape[1], "dtype": "float32"}
        case = PerformanceCase(
            name=f"{shape[0]} x {shape[1]}", points=4, arguments=arguments, bound="memory", full_at=0.85, zero_at=0.4
        )
        job = Job(folder=self.exercise.folder, text=HONEST, seed=seed, uuid=machine.cuda_uuid())
        return measure(self.exercise, case, self.submission, self.baseline, self.before, job)


def kernel_ms(shape: tuple[int, int], repeats: int = 20) -> float:
    """The median time of the softmax kernel by CUPTI, each call on another input."""
    inputs = [torch.randn(shape, device="cuda") for _ in range(4)]
    torch.softmax(inputs[0], -1)
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for index in range(repeats):
            torch.softmax(inputs[index % len(inputs)], -1)
        torch.cuda.synchronize()
    times = [e.device_time for e in seen.events() if "softmax" in e.name.lower() and e.device_time > 0]
    return statistics.median(times) / 1e3


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    with Workers() as workers:
        bench = Bench(workers)
        print(f"copy bandwidth {bench.before.copy_gbps:.0f} GB/s, launch {bench.before.launch_us:.1f} us")
        print("agreement: shape, K, clock ms, kernel ms (CUPTI), difference")
        for shape in AGREEMENT:
            found, kernel = bench.measure(shape, seed=1), kernel_ms(shape)
            clock = found.time_ms.median
            print(f"  {shape!s:16} {found.calls:4} {clock:8.4f} {kernel:8.4f} {clock / kernel - 1:+.2%}", flush=True)
        print("spread: shape, median ms, (p95 - p5) / median")
        for shape in SPREAD:
            times = sorted(bench.measure(shape, seed).time_ms.median for seed in range(repeats))
            spread = (times[round(0.95 * (repeats - 1))] - times[round(0.05 * (repeats - 1))]) / statistics.median(
                times
            )
            print(f"  {shape!s:16} {statistics.median(times):8.4f} {spread:.2%}", flush=True)


if __name__ == "__main__":
    main()
