"""How far the grader's clock can be trusted, on a GPU: `nox -s benchmark -- clock [SECTION…]`.

agreement   an honest call measured by the race, against the time of its kernels as CUPTI records it in the worker
spread      (p95 - p5) / median over repeated measurements of the same submission
same        the baseline's own code as a submission: gradings that a boundary 5 % below its own median would fail
ranked      the same with 5 % of its rows computed once more: gradings in which it is slower than the baseline
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from grader.boundary.workers import Workers
from grader.exercise import PerformanceCase
from grader.loading import load
from grader.timing.measurement import Measurement
from grader.timing.plan import make_plan
from grader.timing.race import race
from grader.timing.rivals import Rivals
from grader.timing.stage import BUDGET_S, Stage
from shared import machine

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = "triton_softmax"
HONEST = "import torch\n\n\ndef triton_softmax(x):\n    return torch.softmax(x, dim=-1)\n"
EXTRA = HONEST.replace("    return", "    torch.softmax(x[: x.shape[0] // 20], dim=-1)\n    return")
AGREEMENT = ((6144, 4096), (8192, 8192), (16384, 16384), (32768, 32768))  # about 0.1, 0.3, 0.7 and 3 ms
SPREAD = ((4096, 4096), (8192, 8192), (8192, 16384))
RIVALS = (8192, 8192)
MARGIN = 0.05


def case_of(shape: tuple[int, int]) -> PerformanceCase:
    arguments = {"num_rows": shape[0], "num_cols": shape[1], "dtype": "float32"}
    name = f"{shape[0]} x {shape[1]}"
    return PerformanceCase(name=name, points=4, arguments=arguments, bound="memory", full_at=0.85, zero_at=0.4)


def timed(stage: Stage, shape: tuple[int, int]) -> Measurement:
    return stage.measure(case_of(shape))


def relative_spread(values: Sequence[float]) -> float:
    ordered, last = sorted(values), len(values) - 1
    return (ordered[round(0.95 * last)] - ordered[round(0.05 * last)]) / statistics.median(ordered)


def agreement(stage: Stage, repeats: int) -> None:
    print("| rows × columns | K | clock, ms | kernel by CUPTI, ms | difference |\n|---|---|---|---|---|")
    for shape in AGREEMENT:
        clock, kernel, calls = raced_and_profiled(stage, case_of(shape))
        size = f"{shape[0]} × {shape[1]}"
        print(f"| {size} | {calls} | {clock:.4f} | {kernel:.4f} | {clock / kernel - 1:+.2%} |", flush=True)


def raced_and_profiled(stage: Stage, case: PerformanceCase) -> tuple[float, float, int]:
    """Milliseconds of a call by the race, and of its kernels by CUPTI in the same memory; the calls of a batch."""
    plan = make_plan(stage.exercise, case, stage.ceilings)
    rivals = Rivals(plan, plan.count, stage.device)
    try:
        rivals.enter(stage.exercise, HONEST, *stage.sessions())
        found = race(rivals.submission, rivals.baseline, BUDGET_S, seed=0)
        calls = rivals.submission.count
        kernels = rivals.submission.profile(calls)["kernels"]
    finally:
        rivals.leave()
    return found.submission.median, sum(total_ms for _, _, total_ms in kernels) / calls, calls


def spread(stage: Stage, repeats: int) -> None:
    print("| rows × columns | median, ms | (p95 − p5) / median | rounds | seconds each |\n|---|---|---|---|---|")
    for shape in SPREAD:
        start = time.perf_counter()
        found = [timed(stage, shape) for _ in range(repeats)]
        seconds = (time.perf_counter() - start) / repeats
        times = [each.time_ms.median for each in found]
        rounds = statistics.median(each.time_ms.samples for each in found)
        size, middle = f"{shape[0]} × {shape[1]}", statistics.median(times)
        print(f"| {size} | {middle:.4f} | {relative_spread(times):.2%} | {rounds:g} | {seconds:.2f} |", flush=True)


def same(stage: Stage, repeats: int) -> None:
    ratios = [timed(stage, RIVALS).speedup for _ in range(repeats)]
    boundary = (1 - MARGIN) * statistics.median(ratios)
    wrong = sum(ratio < boundary for ratio in ratios)
    print(f"same code as the baseline: speedup {statistics.median(ratios):.4f}, {wrong} of {repeats} fail", flush=True)


def ranked(stage: Stage, repeats: int) -> None:
    stage.replace(EXTRA)
    ratios = [timed(stage, RIVALS).speedup for _ in range(repeats)]
    right = sum(ratio < 1 for ratio in ratios)
    print(f"5 % more work: speedup {statistics.median(ratios):.4f}, ranked right in {right} of {repeats}", flush=True)
    stage.replace(HONEST)


SECTIONS = {"agreement": (agreement, 1), "spread": (spread, 15), "same": (same, 50), "ranked": (ranked, 50)}


def main() -> None:
    """Print the sections asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", help=", ".join(SECTIONS))
    parser.add_argument("--repeats", type=int, help="of each measurement, instead of the usual number")
    options = parser.parse_args()
    exercise = load(ROOT / "exercises" / EXERCISE)
    with Workers(profiles=True) as workers:
        workers.prepare(exercise, "cuda", count=3)
        stage = Stage(exercise, HONEST, workers, machine.cuda_uuid())
        copy = stage.ceilings.copy_gbps
        print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, copy bandwidth {copy:.0f} GB/s\n")
        for name in options.sections or SECTIONS:
            section, repeats = SECTIONS[name]
            section(stage, options.repeats or repeats)
            print()
        stage.close()


if __name__ == "__main__":
    main()
