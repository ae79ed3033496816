"""`export`: a batch's grades as the files that an LMS takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from grader.batch.book import Row
from grader.batch.books import Bound, bound
from grader.batch.folder import opened
from grader.commands.grade_tree import WIDTH
from grader.errors import UsageError
from grader.exercise import Exercise
from grader.export import canvas, classroom50, gradescope, junit, plain_csv, students
from grader.files import write
from grader.loading import choose, load_all

FORMATS = ("gradescope", "canvas", "classroom50", "csv", "junit", "students")


@dataclass(frozen=True)
class Choices:
    """What the TA asked for."""

    to: str
    output: Path
    gradebook: Path | None = None  # Canvas' export
    columns: tuple[str, ...] = ()  # headings of it: of the sum, or `EXERCISE=HEADING`
    dry_run: bool = False
    hidden: str = "after_published"  # one of gradescope.VISIBILITIES
    leaderboard: bool = False
    classroom: str = ""
    assignment: str = ""


def run(root: Path, out: Path, choices: Choices) -> int:
    """Write the files, and say what they leave out; the exit code."""
    if choices.to not in FORMATS:
        raise UsageError(f"--to {choices.to!r}: expected one of {', '.join(FORMATS)}")
    exercises = load_all(root)
    found = bound(opened(out), exercises)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    if choices.to == "canvas":
        _canvas(found, exercises, choices, console)
    elif choices.to == "csv":
        _one_file(choices.output, plain_csv.text(found.book))
        console.print(f"{choices.output}: {len(found.book.rows)} people", markup=False, soft_wrap=True)
    else:
        _many(found, choices, console)
    _say_who_is_open(found.book.rows, console)
    return 0


def _visibility(word: str) -> gradescope.Visibility:
    """Gradescope's word for it; raises UsageError for any other."""
    for known in gradescope.VISIBILITIES:
        if word == known:
            return known
    raise UsageError(f"--hidden {word!r}: expected one of {', '.join(gradescope.VISIBILITIES)}")


def _canvas(found: Bound, exercises: Sequence[Exercise], choices: Choices, console: Console) -> None:
    if choices.gradebook is None or not choices.columns:
        raise UsageError(
            "--to canvas: expected --gradebook FILE.csv, exported from Canvas, and --column 'Title (id)' of the sum, "
            "or --column EXERCISE='Title (id)' for each exercise"
        )
    columns = dict(_named(column, exercises) for column in choices.columns)
    try:
        text = choices.gradebook.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--gradebook {choices.gradebook}: cannot be read as UTF-8 text: {error}") from None
    filled = canvas.fill(text, found.book, columns)
    for change in filled.changes:
        line = f"{change.person}: {change.column}: {change.before.strip() or 'empty'} → {change.after}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for problem in filled.said:
        console.print(f"! {problem}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    if choices.dry_run:
        console.print(f"{len(filled.changes)} cells would change; nothing was written")
        return
    _one_file(choices.output, filled.text)
    console.print(f"{choices.output}: {len(filled.changes)} cells changed", markup=False, soft_wrap=True)


def _named(column: str, exercises: Sequence[Exercise]) -> tuple[str, str]:
    """(exercise or TOTAL, heading); a heading may have a `=` itself."""
    name, equals, heading = column.partition("=")
    if equals and name.isidentifier():
        return choose(exercises, [name])[0].name, heading
    return canvas.TOTAL, column


def _one_file(file: Path, text: str) -> None:
    if file.is_dir() or not file.parent.is_dir():
        raise UsageError(f"--output {file}: expected the name of a file in a folder that exists")
    write(file, text)


def _many(found: Bound, choices: Choices, console: Console) -> None:
    """One file for each submission, or for each person where the format is about people."""
    by_entry: dict[str, list[Row]] = {}
    for row in found.book.rows:
        name = row.entry if choices.to in ("gradescope", "junit") else f"{row.entry}.{_safe(row.person.id)}"
        by_entry.setdefault(name, []).append(row)
    make, suffix = _formats(found, choices)[choices.to]
    texts = {name: make(rows) for name, rows in by_entry.items()}
    folder = choices.output
    if folder.is_file() or (folder.is_dir() and any(not file.name.endswith(suffix) for file in folder.iterdir())):
        raise UsageError(f"--output {folder}: expected a new folder, or one with nothing but {suffix} files of before")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if text is not None:
            write(folder / f"{name}{suffix}", text)
        else:
            (folder / f"{name}{suffix}").unlink(missing_ok=True)  # of before: it says what is not known any more
    written = sum(text is not None for text in texts.values())
    console.print(f"{folder}: {written} of {len(texts)} files written", markup=False, soft_wrap=True)


Make = Callable[[Sequence[Row]], str | None]


def _formats(found: Bound, choices: Choices) -> Mapping[str, tuple[Make, str]]:
    options = gradescope.Options(_visibility(choices.hidden), choices.leaderboard)
    book, reports = found.book, found.reports
    return {
        "gradescope": (lambda rows: gradescope.results_json(rows, book.columns, reports, options), ".results.json"),
        "junit": (lambda rows: junit.text(rows[0], reports), ".junit.xml"),
        "students": (lambda rows: students.page(rows[0], reports), ".md"),
        "classroom50": (
            lambda rows: classroom50.text(rows[0], reports, choices.classroom, choices.assignment),
            ".result.json",
        ),
    }


def _safe(person: str) -> str:
    return "".join(c if c.isalnum() or c in "@.+-" else "_" for c in person)[:60]


def _say_who_is_open(rows: Sequence[Row], console: Console) -> None:
    waiting = [row for row in rows if not row.is_finished]
    for row in waiting:
        names = ", ".join(grade.exercise for grade in row.grades if grade.is_open)
        console.print(f"! {row.person.id}: not decided yet: {names}", style="yellow", markup=False, soft_wrap=True)
