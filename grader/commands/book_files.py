"""The book as files in the batch's folder: for programs, for spreadsheets, and to look at."""

from __future__ import annotations

from grader.batch.books import Bound
from grader.batch.class_view import page
from grader.batch.folder import Folder
from grader.export import plain_csv
from grader.files import write


def write_all(folder: Folder, found: Bound) -> None:
    """Write `book.json`, `grades.csv` and `grades.html` anew."""
    write(folder.path / "book.json", found.book.model_dump_json(indent=1) + "\n")
    write(folder.path / "grades.csv", plain_csv.table(found.book))
    write(folder.path / "grades.html", page(found.book, found.reports, folder.path.name))
