"""What a sandbox costs: `nox -s benchmark -- sandbox`.

The start of a worker, from nothing until it is ready, at each level that this host gives; its end; and the time from a
submission's name to its first verdict when a worker with torch and Triton stands ready.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from grader.boundary import sandbox
from grader.boundary.sandbox import Level
from grader.boundary.server import Plan
from grader.boundary.workers import Workers
from grader.exercise import Limits
from grader.grade import Target, grade
from grader.loading import load

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = ROOT / "tests/content/exercises/double"
SUBMISSION = ROOT / "tests/golden/double/correct/double.py"


def main() -> None:
    """Print a line per level; the levels take turns, so that all see the same machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--any-files", action="store_true", help="measure `uid` although files of staff are readable")
    arguments = parser.parse_args()
    levels = [level for level, lack in sandbox.lacks().items() if lack is None or _only_files(lack, arguments)]
    opened = {level: Workers(level=level) for level in levels}
    try:
        for mode, repeats in (("bare", arguments.repeats), ("torch", max(3, arguments.repeats // 4))):
            starts, ends = _starts(opened, mode, repeats)
            for level in levels:
                beyond = starts[level] - starts[Level.NONE]
                print(
                    f"{mode:5} {level.value:10} ready after {starts[level]:7.1f} ms ({beyond:+6.1f}), "
                    f"ended in {ends[level]:5.1f} ms"
                )
        for level in levels:
            print(f"{level.value:10} first verdict with a waiting worker: {_first_verdict(opened[level]):.0f} ms")
    finally:
        for workers in opened.values():
            workers.__exit__(None, None, None)


def _only_files(lack: sandbox.Lack, arguments: argparse.Namespace) -> bool:
    return bool(arguments.any_files) and lack.reason.startswith("every user can read")


def _starts(opened: dict[Level, Workers], mode: str, repeats: int) -> tuple[dict[Level, float], dict[Level, float]]:
    limits = Limits()
    plan = Plan(mode, limits.disk_mb, limits.processes)
    starts: dict[Level, list[float]] = {level: [] for level in opened}
    ends: dict[Level, list[float]] = {level: [] for level in opened}
    for _ in range(repeats):
        for level, workers in opened.items():
            started: list[object] = []

            def begin(workers: Workers = workers, started: list[object] = started) -> None:
                started.append(workers._start(plan))
                started[0].await_ready()  # type: ignore[arg-type]

            starts[level].append(_ms(begin))
            ends[level].append(_ms(lambda w=workers, s=started: w.end(s[0])))  # type: ignore[misc]
    return (
        {level: statistics.median(times) for level, times in starts.items()},
        {level: statistics.median(times) for level, times in ends.items()},
    )


def _first_verdict(workers: Workers) -> float:
    exercise = load(EXERCISE)
    first: list[float] = []
    times = []
    for _ in range(5):
        workers.prepare(exercise, "cpu")
        time.sleep(3)  # it imports torch meanwhile
        first.clear()
        start = time.perf_counter()

        def told(name: str, case: str) -> None:
            first.append(time.perf_counter())

        grade([exercise], [SUBMISSION], Target("cpu"), told, workers)
        times.append((first[1] - start) * 1e3)  # the second case begins when the first has its verdict
    return statistics.median(times)


def _ms(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    main()
