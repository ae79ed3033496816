"""`calibrate`: grade known files again and again on this device; exit 1 when a mark is not steady."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from grader import requirements
from grader.boundary.workers import Workers
from grader.commands.grade_tree import showing_progress
from grader.errors import UsageError
from grader.exercise import SOLUTIONS, Exercise, choose, load_all
from grader.grade import choose_device
from grader.timing import calibration, lock
from grader.timing.calibration import Grading, Known
from grader.timing.marks import mark, share_of
from grader.timing.sections import placed
from shared import machine

if TYPE_CHECKING:  # it needs packages that only a machine with a GPU has
    from grader.timing.stage import Stage

DOCUMENT = Path("docs/measurements.md")


def run(root: Path, names: Sequence[str], device: str, repeats: int, only: str) -> int:
    """Print a table for each exercise, write all of them into the document; the exit code."""
    require_first_gpu(root, device, "calibrate")
    console, name = Console(), machine.cuda_device_name(0)
    known: list[Known] = []
    sections = [f"### {name}: {versions()}"]
    with lock.exclusive(machine.cuda_uuid(), lambda: console.print("waiting for the GPU")):
        for exercise in choose([e for e in load_all(root) if e.performance], names):
            found = list(calibrated(root, exercise, repeats, only))
            known += found
            text = f"`{exercise.name}`: {calibration.rates(found)}\n\n{calibration.table(found)}"
            sections.append(text)
            console.print(Markdown(text))
    document = root / DOCUMENT
    document.write_text(placed(document.read_text("utf-8"), "calibration", name, "\n\n".join(sections)), "utf-8")
    problems = list(calibration.problems(known))
    for problem in problems:
        console.print(Text(problem, style="red"))
    console.print(f"{len(known)} files and cases, {repeats} gradings each, {len(problems)} problems; see {DOCUMENT}")
    return 1 if problems else 0


def calibrated(root: Path, exercise: Exercise, repeats: int, only: str) -> Iterator[Known]:
    """All gradings of the exercise's known files, each file in a worker of its own."""
    from grader.timing.stage import Stage

    files = [file for file in known_files(root, exercise) if fnmatch(file[0], only)]
    with Workers() as workers, showing_progress() as progress:
        workers.prepare(exercise, "cuda", count=1 + len(files))
        stage = Stage(exercise, "", workers, machine.cuda_uuid())
        try:
            for label, text, earns_all in files:
                stage.replace(text)
                yield from _graded(stage, label, earns_all, repeats, lambda what: progress(exercise.name, what))
        finally:
            stage.close()


def known_files(root: Path, exercise: Exercise) -> Iterator[tuple[str, str, bool]]:
    """(name, text, whether it earns every point) of stub, solution, baseline and what is too slow."""
    folder = root / SOLUTIONS / exercise.name
    yield f"exercises/{exercise.name}/{exercise.file}", exercise.student_file.read_text("utf-8"), False
    yield f"solutions/{exercise.name}/{exercise.file}", (folder / exercise.file).read_text("utf-8"), True
    if not exercise.is_cuda:
        reference = (exercise.folder / "reference.py").read_text("utf-8")
        yield "the baseline", f"{reference}\n\n{exercise.entries[0].name} = baseline\n", True
    for file in sorted((folder / "rejected/too_slow").glob(f"*{Path(exercise.file).suffix}")):
        yield f"too_slow/{file.name}", file.read_text("utf-8"), False


def _graded(
    stage: Stage, label: str, earns_all: bool, repeats: int, progress: Callable[[str], None]
) -> Iterator[Known]:
    from grader.timing.process import timed

    for case in stage.exercise.performance:
        gradings = []
        for number in range(repeats):
            progress(f"{label}, {case.name}, {number + 1} of {repeats}")
            result = timed(stage, case)
            if result.measurement is None:
                assert result.status is not None
                gradings.append(Grading(result.status, 0, 0.0))
            else:
                given = mark(result.measurement, case)
                gradings.append(Grading(given.finding.status, given.points, share_of(result.measurement, case)[1]))
        yield Known(label, earns_all, case, tuple(gradings))


def require_first_gpu(root: Path, device: str, command: str) -> None:
    """Raises UsageError where this machine or this copy cannot measure known files."""
    kind, index = choose_device(device)
    missing = requirements.missing_for_timing()
    if index:
        raise UsageError(f"`{command}` measures the first GPU it sees: set CUDA_VISIBLE_DEVICES to choose another")
    if kind != "cuda" or missing:
        raise UsageError(missing or f"`{command}` needs a GPU: speed is never judged on a CPU")
    if not (root / SOLUTIONS).is_dir():
        raise UsageError(f"this is a student's copy: `{command}` needs the solutions that staff have")


def versions() -> str:
    """What a table was measured with, and when."""
    date = datetime.now(timezone.utc).date().isoformat()
    torch, triton = (requirements.installed_version(name) for name in ("torch", "triton"))
    return f"torch {torch}, Triton {triton}, {date}"
