"""`grades.html`: the class at a glance, for staff only. A pure function of a book and its reports to one page.

The page needs no network and no other file. All that a student wrote is escaped by the template engine, and a policy in
its head forbids every script but the one that sorts the table.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from grader.batch.book import Book, Grade, Row
from grader.batch.class_counts import NO_FILE, OPEN, Counts, Reports, count, label
from grader.batch.failures import Cluster
from grader.batch.spread import quartiles
from grader.export import feedback
from grader.status import Status

TEMPLATES = Path(__file__).resolve().parents[1] / "templates/class_view"
MAX_TEXT = 600
"""Characters of a student's or a file's text; the whole is in the report."""
MAX_ID = 80
MAX_CLUSTERS = 25
"""Of one exercise; what few have is in the results."""
MAX_BINS = 20

_QUIET = {NO_FILE, *(s.value for s in (Status.NOT_MEASURED, Status.NOT_RUN, Status.NOT_ATTEMPTED))}


@dataclass(frozen=True)
class Piece:
    """A part of a bar, in hundredths of its width."""

    colour: str
    start: float
    width: float
    text: str


@dataclass(frozen=True)
class Cell:
    """One grade in the table of everybody."""

    colour: str
    text: str
    value: float  # to sort by
    hint: str


@dataclass(frozen=True)
class Group:
    """A sentence, and whom it is about."""

    text: str
    who: tuple[str, ...]


def page(book: Book, reports: Reports, name: str = "") -> str:
    """The page's text; `name` is what the batch is called."""
    finals = [row.final for row in book.rows if row.is_finished]
    waiting = [(row.person.id, f"{g.exercise}: {g.flagged}") for row in book.rows for g in row.grades if g.is_open]
    script = _part("sort.js")
    return _template().render(
        name=name,
        book=book,
        submissions=len({row.entry for row in book.rows}),
        names_entries=any(row.entry != row.person.id for row in book.rows),
        finals=finals,
        quartiles=quartiles(finals),
        exercises=count(book, reports),
        num_open=len(waiting),
        open=_groups(waiting),
        problems=_groups((row.person.id, problem) for row in book.rows for problem in row.problems),
        late=[row for row in book.rows if row.days_late],
        style=Markup(_part("style.css")),
        script=Markup(script),
        script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


@cache
def _template() -> jinja2.Template:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: feedback.clean(value) if type(value) is str else value,
    )
    made.filters |= {
        "number": feedback.number,
        "cut": cut,
        "who": _who,
        "pieces": pieces,
        "bars": bars,
        "breakable": _breakable,
    }
    made.globals |= {"cells": cells, "colour": colour, "shown": _shown, "MAX_CLUSTERS": MAX_CLUSTERS}
    return made.get_template("page.html")


@cache
def _part(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def cut(text: str, most: int = MAX_TEXT) -> str:
    """The text, or its beginning with a word on what is left out."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def _who(people: Sequence[str]) -> str:
    return ", ".join(cut(person, MAX_ID) for person in people)


def _breakable(name: str) -> Markup:
    """With places to break the line at, behind its underscores."""
    return escape(name).replace("_", Markup("_<wbr>"))


def _groups(found: Iterable[tuple[str, str]]) -> list[Group]:
    """Of (person, sentence): who has the same, in the order of the first of them."""
    people: dict[str, list[str]] = {}
    for person, text in found:
        people.setdefault(text, []).append(person)
    return [Group(text, tuple(dict.fromkeys(who))) for text, who in people.items()]


def colour(name: str) -> str:
    """The class of a status' colour."""
    if name == Status.PASSED.value:
        return "good"
    if name == OPEN:
        return "open"
    return "quiet" if name in _QUIET else "bad"


def pieces(counts: Counts) -> list[Piece]:
    """The parts of one bar, each as wide as its share."""
    total, start, found = sum(number for _, number in counts), 0.0, []
    for name, number in counts:
        width = 100 * number / total
        found.append(Piece(colour(name), round(start, 2), round(width, 2), f"{name}: {number}"))
        start += width
    return found


def bars(points: Sequence[float], most: float) -> list[Piece]:
    """A histogram from 0 to the most points, or to more where somebody has them; a bar's `width` is its height."""
    top = max([most, *points])
    bins = max(1, min(MAX_BINS, int(top) or 1))
    numbers = [0] * bins
    for value in points:
        numbers[min(bins - 1, max(0, int(value / top * bins)) if top else 0)] += 1
    highest, step = max([1, *numbers]), top / bins
    edges = [(feedback.number(i * step), feedback.number((i + 1) * step)) for i in range(bins)]
    return [
        Piece("bar", round(100 * i / bins, 2), round(100 * number / highest, 2), f"{low} to {high} points: {number}")
        for i, (number, (low, high)) in enumerate(zip(numbers, edges, strict=True))
    ]


def cells(row: Row) -> list[Cell]:
    """The grades of one person."""
    return [_cell(grade) for grade in row.grades]


def _cell(grade: Grade) -> Cell:
    known = grade.known
    text = "?" if known is None else feedback.number(known)
    name = label(grade)
    hint = f"{grade.status.value if grade.status else NO_FILE}, of {grade.max_points}"
    if grade.not_measured_points and not grade.override:
        hint += f", {grade.not_measured_points} not measured"
    if grade.override is not None:
        return Cell("hand", f"{text}*", known or 0.0, cut(f"by hand: {grade.override.reason} ({hint})"))
    if grade.status is None:
        text = "–"
    shade = "part" if colour(name) == "bad" and known else colour(name)
    return Cell(shade, text, -1.0 if known is None else known, cut(grade.flagged or hint))


def _shown(found: Sequence[Cluster]) -> tuple[Sequence[Cluster], int, int]:
    """The largest clusters; how many others there are, and of how many people."""
    others = found[MAX_CLUSTERS:]
    return found[:MAX_CLUSTERS], len(others), len({person for cluster in others for person in cluster.who})
