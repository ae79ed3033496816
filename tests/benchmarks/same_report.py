"""Whether a report is the same each time, but for the seconds that it took: `nox -s benchmark -- same_report`.

Of the exercises with kernels, solutions and rejected files of every status that a kernel can have on the CPU are graded
again and again.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from grader.boundary.workers import Workers
from grader.exercise import Exercise
from grader.grade import Target, grade
from grader.loading import load_all

ROOT = Path(__file__).resolve().parents[2]
STATUSES = ("race", "memory_error", "inefficient", "compile_error", "incorrect")


def files() -> Iterator[tuple[Exercise, Path]]:
    """Each exercise's solution, and the first rejected file of each status."""
    for exercise in (e for e in load_all(ROOT) if e.device == "any"):
        folder = ROOT / "solutions" / exercise.name
        yield exercise, folder / exercise.file
        for status in STATUSES:
            found = sorted((folder / "rejected" / status).glob(f"*{Path(exercise.file).suffix}"))
            yield from ((exercise, path) for path in found[:1])


def main() -> None:
    """Print a line for each file; exit 1 when a report differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    runs, different = parser.parse_args().runs, 0
    with Workers() as workers:
        for exercise, path in files():
            digests = set()
            for _ in range(runs):
                report = grade([exercise], [path], Target("cpu"), workers=workers)
                text = re.sub(r'"seconds":[\d.e-]+', "", report.model_dump_json())
                digests.add(hashlib.sha256(text.encode()).hexdigest())
            different += len(digests) > 1
            status = report.exercises[0].status.value
            print(f"{path.relative_to(ROOT)}: {status}, {len(digests)} report(s) in {runs} runs", flush=True)
    raise SystemExit(1 if different else 0)


if __name__ == "__main__":
    main()
