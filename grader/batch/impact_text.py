"""The impact of a regrade on a terminal: a pure function of the record, rendered by rich."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from grader.batch.impact import Cause, Change, Impact, Standing
from grader.batch.spread import Quartiles
from grader.export.feedback import clean, number

_SHOWN = 12
"""People named in one line; `--json` has all of them."""
_HEADINGS: dict[Cause, str] = {
    "unsteady": "NOT STEADY: the same file under the same conditions got another verdict; look before you publish",
    "file": "Another file was graded: not an effect of the tests",
    "by hand": "Decided by hand on one side, or decided otherwise",
    "open": "Open on one side or both: these points cannot be compared",
}


def render(impact: Impact, old: str, new: str) -> RenderableType:
    """The whole comparison; `old` and `new` are the folders' names."""
    parts: list[RenderableType] = [Text(f"OLD {line(old)}\nNEW {line(new)}\n{impact.people} people are in both")]
    parts += [*_conditions(impact), *_people(impact), *_causes(impact), *_totals(impact), *_spreads(impact)]
    parts += [*_edges(impact), *_lists(impact)]
    return Group(*parts, Rule(style="dim"), *_verdict(impact))


def line(text: str) -> str:
    """One line of it, without anything that a terminal obeys."""
    return " ".join(clean(text).split())


def _section(heading: str, *parts: RenderableType, style: str = "bold") -> list[RenderableType]:
    return [Text(f"\n{heading}", style=style), *(Padding(part, (0, 0, 0, 2)) for part in parts)]


def _conditions(impact: Impact) -> list[RenderableType]:
    if not impact.conditions:
        return _section("Both were made with the same tests, grader, environment, device and seed")
    said = [Text(f"{name}: {line(what)}") for name, lines in impact.conditions.items() for what in lines]
    return _section("What the verdicts were made with, and differs", *said)


def _people(impact: Impact) -> Iterator[RenderableType]:
    """Who gains and who loses by the tests; then who has the same points for another reason."""
    tested = [change for change in impact.changes if change.cause == "tests"]
    for heading, chosen in (
        ("Less than before", [c for c in tested if (c.gain or 0) < 0]),
        ("More than before", [c for c in tested if (c.gain or 0) > 0]),
        ("The same points, another verdict", [c for c in tested if not c.gain]),
    ):
        if chosen:
            yield from _section(f"{heading}: {_counted(chosen)}", _table(chosen))


def _causes(impact: Impact) -> Iterator[RenderableType]:
    for cause, heading in _HEADINGS.items():
        chosen = [change for change in impact.changes if change.cause == cause]
        if chosen:
            style = "bold yellow" if cause == "unsteady" else "bold"
            yield from _section(f"{heading}: {_counted(chosen)}", _table(chosen), style=style)


def _counted(changes: Sequence[Change]) -> str:
    people = len({(change.person, change.entry) for change in changes})
    return f"{people} {'person' if people == 1 else 'people'}, {len(changes)} {_grades(len(changes))}"


def _grades(count: int) -> str:
    return "grade" if count == 1 else "grades"


def _table(changes: Sequence[Change]) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for heading in ("person", "exercise", "points", "status", "cases"):
        table.add_column(heading, overflow="fold")
    for change in sorted(changes, key=lambda c: (c.exercise, c.gain or 0, c.person)):
        table.add_row(
            Text(_who(change.person, change.name)),
            Text(change.exercise),
            Text(_both(_points(change.before), _points(change.after))),
            Text(_both(_status(change.before), _status(change.after))),
            Text("\n".join(line(case) for case in change.cases), style="dim"),
        )
    return table


def _who(person: str, name: str) -> str:
    return line(person) if name in ("", person) else f"{line(person)} {line(name)}"


def _both(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _points(standing: Standing) -> str:
    known = "?" if standing.points is None else number(standing.points)
    return f"{known}/{standing.max_points}" + (" by hand" if standing.by_hand else "")


def _status(standing: Standing) -> str:
    found = standing.status.value if standing.status else "no file"
    return f"{found} (open)" if standing.is_open else found


def _totals(impact: Impact) -> Iterator[RenderableType]:
    if not impact.totals:
        return
    table = Table(box=None, header_style="dim", pad_edge=False)
    for heading in ("person", "sum after lateness", "", "days late"):
        table.add_column(heading, justify="left")
    for total in sorted(impact.totals, key=lambda total: total.after - total.before):
        table.add_row(
            Text(_who(total.person, total.name)),
            f"{number(total.before)} → {number(total.after)}",
            f"{total.after - total.before:+.4g}",
            _both(*(str(days) for days in total.days_late)) if any(total.days_late) else "",
        )
    yield from _section("Sums that change", table)


def _spreads(impact: Impact) -> Iterator[RenderableType]:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for heading in ("exercise", "compared", "more", "less", "mean", "quarter has less than", "median"):
        table.add_column(heading)
    table.add_column("quarter has more than")
    for spread in impact.spreads:
        left = f" ({spread.left_out} left out)" if spread.left_out else ""
        table.add_row(
            Text(spread.exercise or "sum after lateness"),
            f"{spread.people}{left}",
            str(spread.more),
            str(spread.less),
            *(_shift(spread.before, spread.after, what) for what in ("mean", "lower", "median", "upper")),
        )
    yield from _section("The class: only what is decided on both sides and the same file", table)


def _shift(before: Quartiles, after: Quartiles, what: str) -> str:
    return _both(number(getattr(before, what)), number(getattr(after, what)))


def _edges(impact: Impact) -> Iterator[RenderableType]:
    if not impact.edges:
        return
    lines = [
        Text(f"{edge.exercise}, {edge.case} ({edge.points} points), {_EDGES[edge.kind]}: {_named(edge.people)}")
        for edge in impact.edges
    ]
    yield from _section("On an edge in NEW: a little more or less, and the points would be others", *lines)


_EDGES = {
    "one setting": "one setting fails and the others pass",
    "one case": "all other cases have their full points",
    "one quarter": "all is full but a quarter of this case",
    "inside interval": "an edge between two marks lies inside the clock's interval",
}


def _named(people: Sequence[str]) -> str:
    shown = ", ".join(line(person) for person in people[:_SHOWN])
    more = f" and {len(people) - _SHOWN} more" if len(people) > _SHOWN else ""
    return f"{len(people)}: {shown}{more}"


def _lists(impact: Impact) -> Iterator[RenderableType]:
    for heading, found in (
        ("Open in OLD", impact.open_before),
        ("Open in NEW: nothing of these may be published", impact.open_after),
        ("Only in OLD", impact.only_before),
        ("Only in NEW", impact.only_after),
        ("Exercises only in OLD", impact.exercises_only_before),
        ("Exercises only in NEW", impact.exercises_only_after),
    ):
        if found:
            more = [f"… and {len(found) - _SHOWN} more (all of them: --json FILE)"] if len(found) > _SHOWN else []
            yield from _section(f"{heading}: {len(found)}", *(Text(line(one)) for one in [*found[:_SHOWN], *more]))


def _verdict(impact: Impact) -> Iterator[RenderableType]:
    if not impact.people:
        yield Text("No person and submission is in both folders; are they of one class?", style="bold yellow")
        return
    if impact.nobody_changes:
        yield Text("Nobody's points change.", style="bold green")
    else:
        more, less = (
            len({(c.person, c.entry) for c in impact.changes if c.gain and (c.gain > 0) is up}) for up in (True, False)
        )
        sums = f"; {len(impact.totals)} sums after lateness change" if impact.totals else ""
        yield Text(f"{more} of {impact.people} people have more for an exercise, {less} have less{sums}.", style="bold")
    if impact.open_after:
        yield Text(f"{len(impact.open_after)} {_grades(len(impact.open_after))} in NEW not decided.", style="yellow")
