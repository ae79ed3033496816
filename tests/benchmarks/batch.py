"""A whole class, graded on the CPU: `nox -s benchmark -- batch [--students 300] [--exercises 4]`.

The class is made by tests/batch/generator.py: solutions, wrong solutions, exploits, broken archives. Printed are the
minutes of the run, and the memory of the grader and its lanes (workers aside) once a tenth of the files is graded and
at the end. The limits are what we promise for two cores.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grader.exercise import Exercise, load_all
from tests.batch.generator import ROOT, make_class

LIMIT_S_PER_FILE = 2.0
"""40 minutes for 300 submissions of 4 exercises."""
MAX_GROWTH = 1.2


def memory_mb(grader: int) -> float:
    """Resident megabytes of the grader and its lanes: the processes that live as long as the run."""
    kilobytes = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes()
            fields = dict(line.split(":", 1) for line in (path / "status").read_text().splitlines())
        except OSError:
            continue
        if int(path.name) == grader or (int(fields["PPid"]) == grader and b"grader.batch.lane" in words):
            kilobytes += int(fields.get("VmRSS", "0 kB").split()[0])
    return kilobytes / 1024


def run(exercises: list[Exercise], students: int, seed: int) -> tuple[float, float, float, int, int]:
    """Seconds, megabytes early, the most megabytes later, files, and the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        handed_in, out = Path(scratch, "class"), Path(scratch, "out")
        make_class(handed_in, exercises, students, seed)
        words = [word for exercise in exercises for word in ("-e", exercise.name)]
        command = [
            sys.executable,
            "-m",
            "grader",
            "batch",
            str(handed_in),
            "--out",
            str(out),
            "--device",
            "cpu",
            *words,
        ]
        begun = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        early = later = 0.0
        while process.poll() is None:
            time.sleep(1.0)
            done = sum(1 for _ in (out / "results").glob("*/*.json"))
            now = memory_mb(process.pid)
            early, later = (
                (max(early, now), later) if done < 0.1 * students * len(exercises) else (early, max(later, now))
            )
        seconds = time.perf_counter() - begun
        files = sum(1 for _ in (out / "results").glob("*/*.json"))
        return seconds, early, later, files, process.returncode


def main() -> None:
    """Print a line; exit 1 when a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--exercises", type=int, default=4, help="So many, in teaching order.")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    exercises = load_all(ROOT)[: given.exercises]
    seconds, early, later, files, code = run(exercises, given.students, given.seed)
    growth = later / early if early else 0.0
    print(
        f"{given.students} students × {len(exercises)} exercises, {files} different files: {seconds / 60:.1f} minutes, "
        f"{seconds / max(files, 1):.2f} s a file; memory {early:.0f} MB, then at most {later:.0f} MB "
        f"({growth:.2f}×, limit {MAX_GROWTH}×); exit code {code}"
    )
    allowed = LIMIT_S_PER_FILE * given.students * len(exercises)
    sys.exit(code or seconds > allowed or growth > MAX_GROWTH)


if __name__ == "__main__":
    main()
