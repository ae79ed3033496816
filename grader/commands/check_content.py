"""`check`: hold the content to its laws (grader/laws); exit 1 when one is broken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from grader.boundary.workers import Workers
from grader.commands.grade_tree import showing_progress
from grader.errors import GraderError, UsageError
from grader.exercise import HIDDEN_TESTS, SOLUTIONS, Exercise
from grader.grade import Progress, Target, choose_device
from grader.laws import NotRun, Problem
from grader.laws.folder import check_folder
from grader.loading import choose, load_all


def run(root: Path, names: Sequence[str], device: str) -> int:
    """Print each exercise with its broken laws, then what was not run; the exit code."""
    if not (root / SOLUTIONS).is_dir():
        raise UsageError("this is a student's copy: `check` needs the solutions and hidden tests that staff have")
    kind, index = choose_device(device)
    exercises = choose(load_all(root), names)
    console = Console()
    problems, not_run = 0, []
    with Workers(index, shared=True) as workers, showing_progress() as progress:
        for exercise in exercises:
            workers.prepare(exercise, kind)
        for exercise in exercises:
            found = check_exercise(root, exercise, Target(kind, index), workers, progress)
            broken = [item for item in found if isinstance(item, Problem)]
            not_run += [item for item in found if isinstance(item, NotRun)]
            problems += len(broken)
            _show(console, exercise, broken)
    if not_run:
        console.print(f"not run here ({len(not_run)}):")
        for item in not_run:
            console.print(Text(f"  {item}", style="yellow"))
    console.print(f"{len(exercises)} exercises, {problems} problems, {len(not_run)} not run")
    return 1 if problems else 0


def check_exercise(
    root: Path, exercise: Exercise, target: Target, workers: Workers, progress: Progress
) -> list[Problem | NotRun]:
    """Everything that the laws say of one exercise."""
    from grader.laws.verdicts import check_verdicts

    found: list[Problem | NotRun] = list(check_folder(root, exercise))
    if not (exercise.folder / HIDDEN_TESTS).exists():
        return found  # said above: nothing can be run without it
    try:
        found += check_verdicts(root, exercise, target, workers, progress)
    except GraderError as error:
        found.append(Problem(exercise.name, str(error), "tests that run"))
    return found


def _show(console: Console, exercise: Exercise, broken: Sequence[Problem]) -> None:
    console.print(Text(f"{'✗' if broken else '✓'} {exercise.name}", style="red" if broken else "green"))
    for problem in broken:
        console.print(Text(f"    {problem}"))
