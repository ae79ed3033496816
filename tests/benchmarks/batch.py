"""A whole class, unattended: `nox -s benchmark -- batch [--students 300] [--exercises 4]`.

Prints minutes and seconds for each file, and the memory of the grading processes early and at the end. We promise 300
students × 4 exercises within 40 minutes on two cores without a GPU, and no more than 1.2 times the memory at the end
that there was after a tenth.
"""

from __future__ import annotations

import argparse
import collections
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from grader.batch.folder import Folder
from grader.exercise import load_all
from grader.worker.limits import resident_bytes
from tests.batch.generator import ROOT, make_class

MOST_MINUTES = 40.0
MOST_GROWTH = 1.2


def main() -> int:
    """Print a table; 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--exercises", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    exercises = load_all(ROOT)[: given.exercises]
    with tempfile.TemporaryDirectory() as place:
        make_class(Path(place) / "in", exercises, given.students, given.seed)
        out = Path(place) / "out"
        names = [exercise.name for exercise in exercises]
        words = [sys.executable, "-m", "grader", "batch", f"{place}/in", "--out", str(out), "--quiet", *names]
        start = time.perf_counter()
        process = subprocess.Popen(words, cwd=ROOT)
        memory = _Memory(process.pid, out)
        code = process.wait()
        minutes = (time.perf_counter() - start) / 60
        results = list(Folder(out).results())
    statuses = collections.Counter(result.report.status.value for result in results)
    early, late = memory.early_mb(), memory.late_mb()
    files = given.students * len(exercises)
    print(f"{given.students} students × {len(exercises)} exercises, {len(results)} different files")
    print(f"{minutes:.1f} min, {60 * minutes / max(1, len(results)):.2f} s for each different file, exit code {code}")
    print("statuses: " + ", ".join(f"{number} {name}" for name, number in sorted(statuses.items())))
    print(
        f"memory of the grading processes: {early:.0f} MB after a tenth, {late:.0f} MB at the end ({late / early:.2f}×)"
    )
    allowed = MOST_MINUTES * files / 1200
    print(f"promised: {allowed:.1f} min, {MOST_GROWTH}×")
    return int(minutes > allowed or late > MOST_GROWTH * early)


class _Memory:
    """Resident megabytes of the grader and its lanes, without the sandboxes, by the number of results."""

    def __init__(self, pid: int, out: Path) -> None:
        self._seen: list[tuple[int, float]] = []
        threading.Thread(target=self._watch, args=(pid, out), daemon=True).start()

    def _watch(self, pid: int, out: Path) -> None:
        while True:
            children = Path(f"/proc/{pid}/task/{pid}/children")
            try:
                lanes = [int(word) for word in children.read_text().split()]
            except OSError:
                return
            megabytes = sum(resident_bytes(each) for each in (pid, *lanes)) / 2**20
            self._seen.append((len(list(out.glob("results/*/*.json"))), megabytes))
            time.sleep(2.0)

    def early_mb(self) -> float:
        """The most that there was in the second twentieth of the results, when all has been loaded."""
        most = max(count for count, _ in self._seen)
        return max(mb for count, mb in self._seen if 0.05 * most <= count <= 0.1 * most + 1)

    def late_mb(self) -> float:
        """The most that there was in the last tenth."""
        most = max(count for count, _ in self._seen)
        return max(mb for count, mb in self._seen if count >= 0.9 * most)


if __name__ == "__main__":
    sys.exit(main())
