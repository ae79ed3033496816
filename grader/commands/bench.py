"""`bench`: how fast the solutions are on this GPU, in one run with their baselines; exit 1 where one is too slow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from grader.boundary.workers import Workers
from grader.commands.calibrate import DOCUMENT, require_first_gpu, versions
from grader.commands.grade_tree import showing_progress
from grader.exercise import SOLUTIONS, Exercise, choose, load_all
from grader.timing import figures, lock
from grader.timing.figures import Figure
from grader.timing.sections import placed
from shared import machine


def run(root: Path, names: Sequence[str], device: str) -> int:
    """Print the table, write it into the document; the exit code."""
    require_first_gpu(root, device, "bench")
    console, name = Console(), machine.cuda_device_name(0)
    found: list[Figure] = []
    with lock.exclusive(machine.cuda_uuid(), lambda: console.print("waiting for the GPU")):
        for exercise in choose([e for e in load_all(root) if e.performance], names):
            found += measured(root, exercise)
            console.print(Markdown(figures.table(found[-len(exercise.performance) :])))
    if not names:  # a part of the solutions would take the place of all
        document = root / DOCUMENT
        text = f"### The solutions on {name}: {versions()}\n\n{figures.table(found)}"
        document.write_text(placed(document.read_text("utf-8"), "solutions", name, text), "utf-8")
        console.print(f"written to {DOCUMENT}")
    problems = list(figures.problems(found))
    for problem in problems:
        console.print(Text(problem, style="red"))
    console.print(f"{len(found)} cases, {len(problems)} below what they must reach")
    return 1 if problems else 0


def measured(root: Path, exercise: Exercise) -> Iterator[Figure]:
    """Every timed case of the exercise's solution, and the other ways that it defines."""
    from grader.timing.process import timed
    from grader.timing.stage import Stage

    text = (root / SOLUTIONS / exercise.name / exercise.file).read_text("utf-8")
    with Workers() as workers, showing_progress() as progress:
        workers.prepare(exercise, "cuda", count=2 + len(exercise.ways))
        stage = Stage(exercise, text, workers, machine.cuda_uuid())
        try:
            stage.compare = bool(exercise.ways)
            for case in exercise.performance:
                progress(exercise.name, case.name)
                yield Figure(exercise.name, case, timed(stage, case))
        finally:
            stage.close()
