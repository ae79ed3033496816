"""`gradescope`: grade the one submission that Gradescope has put beside the package, and write results.json.

The file is written whole, and again after each exercise, so an end at any moment leaves what was known by then. Until
the first verdict there is none: Gradescope takes no result without a score, a zero would be a lie, and without a file
it says that the autograder failed and books nothing. That is also what stands there when the grader itself fails.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch import bind, lanes
from grader.batch.book import Book, Grade
from grader.batch.books import Bound, bound
from grader.batch.folder import Folder
from grader.batch.lane import NO_SANDBOX, Orders
from grader.batch.lanes import Event
from grader.batch.late import load_policy
from grader.boundary.workers import PREFIX
from grader.errors import GraderError, UsageError
from grader.exercise import Exercise
from grader.export import feedback
from grader.export.gradescope import Options, results_json
from grader.files import write
from grader.gradescope import handed_in, metadata, settings
from grader.gradescope.handed_in import HandedIn
from grader.gradescope.places import closed
from grader.loading import load_all

RESULTS = "results"
_LOG_LINES = 20
_REFUSED = (
    "no sandbox can be made here, so nothing is run: a submission could read the hidden tests and write its own "
    "results; `python -m grader doctor` says what is missing. No results.json: Gradescope books nothing"
)


@dataclass(frozen=True)
class Output:
    """Where the results go, and what they are made of."""

    place: Path
    folder: Folder
    exercises: Sequence[Exercise]
    options: Options

    def write(self) -> Bound:
        """Write what is known by now, if that is a result; the book."""
        found = bound(self.folder, self.exercises)
        book = in_words_of_time(found.book)
        text = results_json(book.rows, book.columns, found.reports, self.options) if is_result(book) else None
        if text is not None:
            write(self.place, text)
        return Bound(book, found.reports)


def run(root: Path, base: Path) -> int:
    """Grade `base`/submission; 0 when everything has a verdict, 3 when something has none."""
    until = time.monotonic()
    chosen = settings.load(root)
    until += settings.budget_s(chosen)
    exercises = load_all(root)
    policy = root / settings.LATE
    known = tuple(load_policy(policy).extensions) if policy.exists() else ()
    results = base / RESULTS
    submission = handed_in.read(base, exercises, known)
    results.mkdir(exist_ok=True)
    with (
        closed(results, base / "source", base / metadata.FILE),
        tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as scratch,
    ):
        folder = Folder(Path(scratch) / "batch", chosen.seed)
        folder.keep(submission.intake)
        if policy.exists():
            write(folder.policy, policy.read_bytes())
        options = Options(hidden=chosen.hidden, message=submission.message)
        output = Output(results / "results.json", folder, exercises, options)
        return _finish(output, _graded(root, output, submission, until))


def _graded(root: Path, output: Output, submission: HandedIn, until: float) -> str:
    """Grade what was handed in, for as long as there is time; what kept it from the end, if anything did."""
    names = tuple(file.exercise for file in submission.entry.files)
    if not names:
        return ""
    columns = [exercise for exercise in output.exercises if exercise.name in names]
    orders = Orders(str(root.resolve()), str(output.folder.path), names, device="cpu", device_index=0)

    def tell(event: Event) -> None:
        if event.what in ("done", "ours", "gone"):
            output.write()

    try:
        lanes.run(output.folder, columns, [orders], tell, until - time.monotonic())
    except UsageError as error:
        return _REFUSED if str(error) == NO_SANDBOX else str(error)
    except GraderError as error:
        return str(error)
    return "" if time.monotonic() < until else "the time is over"


def _finish(output: Output, problem: str) -> int:
    """Write for the last time, and say for staff how it went: only they see what is printed."""
    book = output.write().book
    row = book.rows[0]
    for line in dict.fromkeys(said for each in book.rows for said in each.problems):
        print(feedback.clean(line))
    missing = [f"{grade.exercise}: {grade.flagged}" for grade in row.grades if grade.is_open]
    if problem or missing:
        _say_what_is_missing(output, [problem, *missing])
    if not is_result(book):
        raise GraderError(problem or "no exercise has a verdict: there is no results.json, so nothing is booked")
    decided = sum(not grade.is_open for grade in row.grades)
    print(f"{output.place}: {decided} of {len(row.grades)} exercises are decided")
    return 3 if missing else 0


def _say_what_is_missing(output: Output, lines: Sequence[str]) -> None:
    for line in filter(None, lines):
        print(feedback.clean(line))
    for result in output.folder.results():
        if result.is_ours:
            print(feedback.clean(f"{result.exercise}: {result.report.cases[0].message}"))
    log = output.folder.path / "lanes.log"
    if log.exists():
        print(feedback.clean("\n".join(log.read_text("utf-8", "replace").splitlines()[-_LOG_LINES:])))


def is_result(book: Book) -> bool:
    """Whether there is anything to say: a verdict on a file, or that no file was handed in."""
    grades = book.rows[0].grades
    handed_in = [grade for grade in grades if grade.status is not None]
    return not handed_in or any(not grade.is_open for grade in handed_in)


def in_words_of_time(book: Book) -> Book:
    """The book in which what has no verdict yet says what is true if none comes: it was not graded in time."""

    def said(grade: Grade) -> Grade:
        is_waiting = grade.flagged == bind.NOT_GRADED
        return grade.model_copy(update={"flagged": feedback.NOT_IN_TIME}) if is_waiting else grade

    rows = [row.model_copy(update={"grades": tuple(map(said, row.grades))}) for row in book.rows]
    return book.model_copy(update={"rows": tuple(rows)})
