"""How long grading takes and how much memory it needs, as a whole command: `nox -s benchmark -- grading`.

Wall time is the median of five runs, after one that is not counted. Memory is that of the largest process. The limits
are what we promise for two cores without a GPU.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = [sys.executable, "-m"]
NOX = [*PYTHON, "nox", "--no-error-on-missing-interpreters", "-s", "grade", "--"]
MAX_MEMORY_MB = 1500


@dataclass(frozen=True)
class Command:
    """What is run, and the most seconds that it may take."""

    name: str
    arguments: list[str]
    limit_s: float


COMMANDS = (
    Command("grader --help", [*PYTHON, "grader", "--help"], 0.5),
    Command("nox -s grade -- triton_softmax", [*NOX, "triton_softmax", "--from", "solutions"], 6.5),
    Command("nox -s grade (all)", [*NOX, "--from", "solutions"], 20.0),
)


def measure(command: Command) -> tuple[float, float]:
    """Wall seconds and the resident megabytes of the largest process of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(command.arguments, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{command.name} ended with status {status}")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * unit / 2**20


def main() -> None:
    """Print a table; exit 1 when a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    broken = 0
    print(f"{'command':34} {'median s':>9} {'min':>6} {'max':>6} {'limit':>6} {'MB':>6}   ({os.cpu_count()} cores)")
    for command in COMMANDS:
        measure(command)
        found = [measure(command) for _ in range(runs)]
        seconds = sorted(wall for wall, _ in found)
        memory = max(peak for _, peak in found)
        median = statistics.median(seconds)
        broken += median > command.limit_s or memory > MAX_MEMORY_MB
        print(
            f"{command.name:34} {median:9.2f} {seconds[0]:6.2f} {seconds[-1]:6.2f} {command.limit_s:6.1f} {memory:6.0f}"
        )
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
