"""`export`: the files that an LMS takes, written from a batch's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from rich.console import Console

from grader.batch.book import Row
from grader.batch.books import Bound, bound
from grader.batch.folder import opened
from grader.batch.impact_text import line
from grader.errors import UsageError
from grader.export import canvas, classroom50, gradebook, gradescope, junit, own_folder, plain_csv, students
from grader.files import write
from grader.loading import load_all

MAX_GRADEBOOK_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Wanted:
    """What the TA asks for."""

    to: str
    output: Path | None = None
    replace: bool = False
    dry_run: bool = False
    gradebook: Path | None = None
    columns: tuple[str, ...] = ()
    match: tuple[str, ...] = ()
    hidden: str = ""
    leaderboard: bool = False
    classroom: str = ""
    assignment: str = ""
    submitted_at: str = ""

    def given(self) -> Iterator[tuple[str, str]]:
        """(option, the format it is for) of every option that only one format knows."""
        for option, kind, value in (
            ("--gradebook", "canvas", self.gradebook),
            ("--column", "canvas", self.columns),
            ("--match", "canvas", self.match),
            ("--hidden", "gradescope", self.hidden),
            ("--leaderboard", "gradescope", self.leaderboard),
            ("--classroom", "classroom50", self.classroom),
            ("--assignment", "classroom50", self.assignment),
            ("--submitted-at", "classroom50", self.submitted_at),
        ):
            if value:
                yield option, kind


@dataclass(frozen=True)
class Made:
    """What is to be written, and what a TA should know of it."""

    files: dict[str, str]  # by their names; of one format that is one file, the name is the default
    summary: str
    lines: list[str] = field(default_factory=list)


def run(root: Path, path: Path, wanted: Wanted) -> int:
    """Make the files, write them, say what was written and what was not."""
    make = _checked(wanted)
    folder = opened(path)
    found = bound(folder, load_all(root))
    made = make(found, wanted)
    place = wanted.output or folder.path / (next(iter(made.files)) if wanted.to in ONE_FILE else wanted.to)
    gone = _written(place, made, wanted)
    console = Console()
    said = [*made.lines, *(f"taken away, since it is not written any more: {name}" for name in gone)]
    said += [f"unfinished: {text}" for row in found.book.rows for text in _open(row)]
    for text in (*said, f"{place}: {made.summary}{' (dry run: nothing was written)' if wanted.dry_run else ''}"):
        console.print(line(text), markup=False, highlight=False, soft_wrap=True)
    return 0


def _checked(wanted: Wanted) -> Callable[[Bound, Wanted], Made]:
    if wanted.to not in FORMATS:
        raise UsageError(f"--to {wanted.to!r}: expected one of {', '.join(FORMATS)}")
    for option, kind in wanted.given():
        if kind != wanted.to:
            raise UsageError(f"{option}: is for --to {kind}, found --to {wanted.to}")
    return FORMATS[wanted.to]


def _written(place: Path, made: Made, wanted: Wanted) -> tuple[str, ...]:
    """Write, or only check in a dry run; the names of files taken away."""
    if wanted.to not in ONE_FILE:
        if not wanted.dry_run:
            return own_folder.write_all(place, wanted.to, made.files)
        return tuple(name for name in own_folder.checked(place, wanted.to) if name not in made.files)
    if place.is_dir() or not place.parent.is_dir():
        raise UsageError(f"--output {place}: expected the name of a file in a folder that exists")
    if wanted.gradebook is not None and place.exists() and place.samefile(wanted.gradebook):
        raise UsageError(f"--output {place}: is the gradebook itself; name another file, to compare the two")
    if wanted.output is not None and place.exists() and not wanted.replace:
        raise UsageError(f"--output {place}: is there already; name another file, or add --replace")
    if not wanted.dry_run:
        write(place, next(iter(made.files.values())))
    return ()


def _open(row: Row) -> Iterator[str]:
    for grade in row.grades:
        if grade.is_open:
            yield f"{row.person.id} ({row.entry}): {grade.exercise}: {grade.flagged}"


def _submissions(found: Bound) -> dict[str, list[Row]]:
    """The rows of each submission: one for each of its people."""
    rows: dict[str, list[Row]] = {}
    for row in found.book.rows:
        rows.setdefault(row.entry, []).append(row)
    return rows


def _counted(found: Bound, files: dict[str, str]) -> str:
    """How many submissions have a file, and how many of these are not finished."""
    everybody = _submissions(found)
    partly = sum(not all(row.is_finished for row in everybody[entry]) for entry in files)
    left = len(everybody) - len(files)
    said = f"{len(files)} of {len(everybody)} submissions written"
    said += f", {partly} of them with open grades, which have no points" if partly else ""
    return said + (f"; {left} not written" if left else "")


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _of_submissions(found: Bound, texts: dict[str, str], suffix: str, left: Sequence[str] = ()) -> Made:
    names = own_folder.names(texts, suffix)
    files = {names[entry]: text for entry, text in texts.items()}
    return Made(files, _counted(found, texts), list(left))


# -- one function for each format


def _gradescope(found: Bound, wanted: Wanted) -> Made:
    hidden = wanted.hidden or gradescope.Options.hidden
    if hidden not in gradescope.VISIBILITIES:
        raise UsageError(f"--hidden {hidden!r}: expected one of {', '.join(gradescope.VISIBILITIES)}")
    visibility = next(each for each in gradescope.VISIBILITIES if each == hidden)
    options = gradescope.Options(visibility, wanted.leaderboard)
    texts, left = {}, []
    for entry, rows in _submissions(found).items():
        text = gradescope.results_json(rows, found.book.columns, found.reports, options)
        if text is None:
            left.append(f"not written: {entry}: nothing of it is decided")
        else:
            texts[entry] = text
    return _of_submissions(found, texts, ".json", left)


def _classroom50(found: Bound, wanted: Wanted) -> Made:
    time = _time(wanted.submitted_at) if wanted.submitted_at else None
    options = classroom50.checked(classroom50.Options(wanted.classroom, wanted.assignment, time))
    submissions = _submissions(found)
    is_group_work = any(len(rows) > 1 for rows in submissions.values())
    texts, left = {}, []
    for entry, rows in submissions.items():
        text = classroom50.result_json(rows, found.book.columns, found.reports, options, is_group_work)
        if text is None:
            left.append(f"not written: {entry}: {classroom50.missing(rows[0], options)}")
        else:
            texts[entry] = text
    return _of_submissions(found, texts, ".json", left)


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        time = datetime.min
    if time.tzinfo is None:
        raise UsageError(f"--submitted-at {text!r}: expected a time with its zone, such as 2026-10-01T23:59+02:00")
    return time


def _junit(found: Bound, wanted: Wanted) -> Made:
    texts = {e: junit.xml(rows, found.book.columns, found.reports) for e, rows in _submissions(found).items()}
    return _of_submissions(found, texts, ".xml")


def _csv(found: Bound, wanted: Wanted) -> Made:
    rows = found.book.rows
    waiting = sum(not row.is_finished for row in rows)
    said = f"{_number(len(rows), 'line')} written" + (
        f", {waiting} of them with open grades, which are empty" if waiting else ""
    )
    return Made({"grades.csv": plain_csv.table(found.book)}, said)


def _students(found: Bound, wanted: Wanted) -> Made:
    pages = students.pages(found.book, found.reports)
    names = own_folder.names(pages, ".md")
    waiting = len({row.person.id for row in found.book.rows if not row.is_finished})
    said = f"{_number(len(pages), 'page')} written" + (
        f", {waiting} of them with open grades, which have no points" if waiting else ""
    )
    return Made({names[person]: text for person, text in pages.items()}, said)


def _canvas(found: Bound, wanted: Wanted) -> Made:
    if wanted.gradebook is None:
        raise UsageError("--gradebook: expected the gradebook that Canvas exports (Grades, Export), as CSV")
    book = gradebook.read(_bytes(wanted.gradebook), wanted.gradebook.name)
    chosen = canvas.targets(wanted.columns, book, found.book)
    filled = canvas.fill(book, found.book, chosen, wanted.match)
    lines = [f"{c.person}: {c.title}: {c.old or 'empty'} → {c.new}" for c in filled.changes]
    lines += [f"not filled in: {text}" for text in filled.not_filled]
    lines += [f"note: {text}" for text in filled.notes]
    said = f"{_number(len(filled.changes), 'cell')} filled in, {filled.same} the same already"
    said += f", {len(filled.not_filled)} not filled in"
    return Made({"canvas.csv": filled.text}, said, lines)


def _bytes(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_GRADEBOOK_BYTES:
            raise UsageError(f"--gradebook {file}: {file.stat().st_size:,} bytes; is this a gradebook?")
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"--gradebook {file}: cannot be read: {error.strerror}") from None


FORMATS: dict[str, Callable[[Bound, Wanted], Made]] = {
    "gradescope": _gradescope,
    "canvas": _canvas,
    "classroom50": _classroom50,
    "csv": _csv,
    "junit": _junit,
    "students": _students,
}
ONE_FILE = ("canvas", "csv")
"""Formats that are one file for the whole class; the others are a folder with a file for each submission or person."""
