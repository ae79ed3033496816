"""Laws over the files of an exercise; nothing is executed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from grader.errors import UsageError
from grader.exercise import HIDDEN_TESTS, METADATA, SOLUTIONS, VISIBLE_TESTS, Exercise
from grader.hints import load_hints
from grader.laws import Problem
from grader.status import Status
from grader.submission import digest

MIN_REJECTED = 5
"""Wrong solutions that each exercise keeps beside the right one."""
MOST_EFFICIENCY = 0.2
"""Of an exercise's points: what is counted in the submission's process could be forged there."""


def check_folder(root: Path, exercise: Exercise) -> Iterator[Problem]:
    """Every law that needs no run."""
    yield from _files(root, exercise)
    yield from _efficiency(root, exercise)
    yield from _stub(exercise)
    yield from _signatures(root, exercise)
    yield from _texts(exercise)


def rejected_files(root: Path, exercise: Exercise) -> list[Path]:
    """The wrong solutions of an exercise; the folder of each is its status."""
    return sorted((root / SOLUTIONS / exercise.name / "rejected").glob("*/*"))


def _files(root: Path, exercise: Exercise) -> Iterator[Problem]:
    needed = {"README.md", METADATA, exercise.file, "reference.py", VISIBLE_TESTS, HIDDEN_TESTS, "hints.yaml"}
    yield from _exactly(exercise.folder, needed)
    solution = root / SOLUTIONS / exercise.name
    rejected = rejected_files(root, exercise)
    yield from _exactly(solution, {exercise.file} | {str(file.relative_to(solution)) for file in rejected})
    statuses = {status.value for status in Status}
    for file in rejected:
        if file.parent.name not in statuses:
            yield Problem(_shown(file), f"a folder called {file.parent.name!r}", "the name of a status")
        if file.suffix != Path(exercise.file).suffix:
            yield Problem(_shown(file), f"a file of the kind {file.suffix!r}", f"the kind of {exercise.file}")
    if len(rejected) < MIN_REJECTED:
        yield Problem(_shown(solution), f"{len(rejected)} rejected files", f"at least {MIN_REJECTED}")
    if exercise.own_kernel and not any(file.parent.name == Status.FORBIDDEN.value for file in rejected):
        yield Problem(
            _shown(solution), "no file in rejected/forbidden", "one that is right, without a kernel of its own"
        )


def _efficiency(root: Path, exercise: Exercise) -> Iterator[Problem]:
    """Counted cases are a small part, and each of them is lost by one rejected file at least."""
    points = sum(case.points for case in exercise.efficiency)
    where = _shown(exercise.folder / METADATA)
    if points > MOST_EFFICIENCY * exercise.max_points:
        expected = f"at most {MOST_EFFICIENCY:.0%} of the {exercise.max_points}"
        yield Problem(where, f"efficiency cases of {points} points", expected)
    names = {case.name for case in exercise.efficiency}
    lost: set[str] = set()
    for file in (f for f in rejected_files(root, exercise) if f.parent.name == Status.INEFFICIENT.value):
        loses = cases_lost(file)
        lost |= loses
        if not loses or loses - names:
            yield Problem(_shown(file), f"loses: {', '.join(sorted(loses)) or 'nothing'}", _line_of_names(names))
    for name in sorted(names - lost):
        yield Problem(where, f"no file in rejected/inefficient that loses {name!r}", "one for each efficiency case")


def cases_lost(file: Path) -> set[str]:
    """The efficiency cases that a file in rejected/inefficient says it loses."""
    found = re.search(r"^[^\w\n]*Loses: (.+?)\.?$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.strip() for name in found[1].split(";")} if found else set()


def _line_of_names(names: set[str]) -> str:
    return f"a line `Loses: CASE; CASE` in its leading comment, with names of {', '.join(sorted(names)) or 'no case'}"


def _exactly(folder: Path, expected: set[str]) -> Iterator[Problem]:
    found = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file() and f.parent.name != "__pycache__"}
    for name in sorted(expected - found):
        yield Problem(_shown(folder), f"no file {name}", "it to be there")
    for name in sorted(found - expected):
        yield Problem(_shown(folder), f"the file {name}", "only the files of an exercise")


def _stub(exercise: Exercise) -> Iterator[Problem]:
    text = exercise.student_file.read_text(encoding="utf-8")
    found = digest(exercise.file, text)
    if found != exercise.stub_digest:
        yield Problem(
            _shown(exercise.folder / METADATA),
            f"stub: {exercise.stub_digest}",
            f'stub: "{found}" (the digest of {exercise.file} as it is; restore the stub if it was filled in)',
        )
    if "TODO" not in text:
        yield Problem(_shown(exercise.student_file), "no TODO", "one where the student begins")


def _signatures(root: Path, exercise: Exercise) -> Iterator[Problem]:
    """Stub and solution have the declared parameters; a `.cu` file is held to them by its compiler."""
    if exercise.is_cuda:
        return
    for file in (exercise.student_file, root / SOLUTIONS / exercise.name / exercise.file):
        if not file.exists():
            continue
        for entry in exercise.entries:
            found = _parameters(file, entry.name)
            if found != entry.parameters:
                shown = "no such function" if found is None else f"{entry.name}({', '.join(found)})"
                yield Problem(_shown(file), shown, entry.declaration)


def _parameters(file: Path, name: str) -> tuple[str, ...] | None:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return tuple(argument.arg for argument in node.args.args)
    return None


def _texts(exercise: Exercise) -> Iterator[Problem]:
    try:
        load_hints(exercise.folder)
    except UsageError as error:
        yield Problem(exercise.name, str(error), "three hints")
    readme = exercise.folder / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    for word in (exercise.file, *(entry.name for entry in exercise.entries)):
        if word not in text:
            yield Problem(_shown(readme), f"no mention of {word}", "it to say what to write, and where")


def _shown(path: Path) -> str:
    return "/".join(path.parts[-3:])
