"""What changes for whom between two books; who sits on an edge; and the command over two folders."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from grader.batch.bind import bind
from grader.batch.book import Override
from grader.batch.edges import edges
from grader.batch.folder import Folder
from grader.batch.impact import Impact, Side, impact
from grader.batch.impact_text import render
from grader.batch.late import Policy
from grader.batch.mapping import Entry, Intake
from grader.batch.result import Conditions, Result
from grader.batch.spread import quartiles, spread
from grader.exercise import Exercise, PerformanceCase
from grader.records import Finding
from grader.report import CaseReport, ExerciseReport
from grader.status import Status
from tests.batch.made_up import (
    NOON,
    WRONG,
    entry,
    exercise,
    failed,
    file,
    full_report,
    mapping,
    report,
    result,
    setting,
)
from tests.batch.test_again import conditions

ROOT = Path(__file__).parents[2]
ADDING = exercise("adding")


def side(
    entries: Sequence[Entry],
    found: Sequence[Result],
    exercises: Sequence[Exercise] = (ADDING,),
    overrides: Sequence[Override] = (),
    policy: Policy | None = None,
    made: Conditions | None = None,
) -> Side:
    verdicts = {(one.exercise, one.content): one for one in found}
    book = bind(mapping(*entries), exercises, verdicts, overrides, policy)
    reports = {(one.exercise, one.name): one.report for one in found}
    known = {e.name: made or conditions(exercise=e.name) for e in exercises}
    return Side(book, reports, mapping(*entries), known)


def told(found: Impact) -> str:
    console = Console(width=200, file=None, record=True, quiet=False)
    with console.capture() as captured:
        console.print(render(found, "old", "new"))
    return captured.get()


ADA = entry("1", "ada")
ADA_ANEW = entry("1", "ada", files=[file(data=b"c")])
NINE = Override(entry="1", exercise="adding", points=9, reason="seen")
BOB = entry("2", "bob", files=[file(data=b"b")])
OLD = side([ADA, BOB], [result(), result(data=b"b", made=full_report())])
NEW_TESTS = conditions(tests="t2")


def only_change(old: Side, new: Side) -> Any:
    found = impact(old, new, [ADDING])
    assert len(found.changes) == 1
    return found.changes[0]


def test_nobody_changes_and_it_says_so() -> None:
    found = impact(OLD, OLD, [ADDING])
    assert found.nobody_changes
    assert (found.people, found.changes, found.totals, found.conditions) == (2, (), (), {})
    assert "Nobody's points change." in told(found)
    assert "same tests, grader, environment" in told(found)


def test_who_gains_and_who_loses_by_the_tests() -> None:
    new = side([ADA, BOB], [result(key="k2", made=full_report()), result(data=b"b", key="k2")], made=NEW_TESTS)
    found = impact(OLD, new, [ADDING])
    assert [(c.person, c.cause, c.gain, c.cases) for c in found.changes] == [
        ("ada", "tests", 6.0, ("test_hidden: incorrect 0/6 → passed 6/6",)),
        ("bob", "tests", -6.0, ("test_hidden: passed 6/6 → incorrect 0/6",)),
    ]
    assert [(t.person, t.before, t.after) for t in found.totals] == [("ada", 4.0, 10.0), ("bob", 10.0, 4.0)]
    assert "t1 → t2" in found.conditions["adding"][0]
    said = told(found)
    assert "1 of 2 people have more for an exercise, 1 have less; 2 sums after lateness change." in said
    assert said.index("Less than before") < said.index("More than before")
    assert not found.nobody_changes


def test_the_same_points_by_another_verdict() -> None:
    other = report(settings=[setting("test_small", 4), setting("test_hidden", 6, Finding(Status.RACE, "a race"))])
    new = side([ADA, BOB], [result(key="k2", made=other), result(data=b"b", key="k2", made=full_report())])
    found = impact(OLD, new, [ADDING])
    assert [(c.person, c.gain) for c in found.changes] == [("ada", 0.0)]
    assert found.nobody_changes
    assert "The same points, another verdict: 1 person, 1 grade" in told(found)


@pytest.mark.parametrize(
    ("new", "cause", "words"),
    [
        (side([ADA], [result(made=full_report())]), "unsteady", "NOT STEADY"),
        (side([ADA], [result(key="k2", made=full_report())]), "tests", "More than before"),
        (side([ADA_ANEW], [result(data=b"c", made=full_report())]), "file", "Another file"),
        (side([entry("1", "ada", files=[])], []), "file", "incorrect → no file"),
        (side([ADA], [result()], overrides=[NINE]), "by hand", "9/10 by hand"),
        (side([ADA], []), "open", "not_run (open)"),
        (side([ADA], [result(made=failed())]), "open", "?/10"),
    ],
)
def test_causes_are_told_apart(new: Side, cause: str, words: str) -> None:
    change = only_change(side([ADA], [result()]), new)
    assert change.cause == cause
    assert words in told(impact(side([ADA], [result()]), new, [ADDING]))
    assert (change.gain is None) == (cause == "open")


def test_a_grade_that_opens_is_no_word_of_peace() -> None:
    old, new = side([ADA], [result()]), side([ADA], [result(made=failed())])
    assert not impact(old, new, [ADDING]).nobody_changes
    found = impact(new, new, [ADDING])
    assert found.nobody_changes
    assert found.open_after[0].startswith("ada, adding: the grader failed")
    assert "1 grade in NEW not decided" in told(found)


def test_an_override_of_both_sides_wins_over_the_tests() -> None:
    old, new = (side([ADA], [one], overrides=[NINE]) for one in (result(), result(key="k2", made=full_report())))
    found = impact(old, new, [ADDING])
    assert found.nobody_changes
    assert [(c.cause, c.gain) for c in found.changes] == [("tests", 0.0)]


def test_lateness_counts_in_the_sums_only() -> None:
    late = entry("1", "ada", submitted_at=NOON)
    policy = Policy(deadline=NOON.replace(hour=1), per_day=0.5)
    found = impact(side([late], [result()]), side([late], [result()], policy=policy), [ADDING])
    assert not found.changes
    assert [(t.before, t.after, t.days_late) for t in found.totals] == [(4.0, 2.0, (0, 1))]
    assert not found.nobody_changes


def test_who_and_what_is_only_in_one() -> None:
    scaling = exercise("scaling")
    old = side([ADA, BOB], [result()], [ADDING, scaling])
    new = side([ADA, entry("3", "cyd\x1b[31m[red]")], [result()], [ADDING])
    found = impact(old, new, [ADDING, scaling])
    assert (found.only_before, found.only_after) == (("bob (2)",), ("cyd\x1b[31m[red] (3)",))
    assert (found.exercises_only_before, found.exercises_only_after) == (("scaling",), ())
    said = told(found)
    assert "cyd[red] (3)" in said
    assert "\x1b" not in said
    nobody = impact(side([ADA], []), side([BOB], []), [ADDING])
    assert "are they of one class?" in told(nobody)
    assert "Nobody's points change" not in told(nobody)


def test_the_spread_leaves_out_what_the_tests_did_not_do() -> None:
    cyd, dan = entry("3", "cyd", files=[file(data=b"c")]), entry("4", "dan", files=[file(data=b"d")])
    old = side([ADA, BOB, cyd, dan], [result(), result(data=b"b"), result(data=b"c")])
    new = side(
        [ADA, BOB, entry("3", "cyd", files=[file(data=b"e")]), dan],
        [result(made=full_report()), result(data=b"b"), result(data=b"e"), result(data=b"d")],
    )
    adding, both = impact(old, new, [ADDING]).spreads
    assert (adding.people, adding.left_out, adding.more, adding.less) == (2, 2, 1, 0)
    assert (adding.before.mean, adding.after.mean, adding.after.median) == (4.0, 7.0, 7.0)
    assert (both.exercise, both.people, both.after.highest) == ("", 2, 10.0)


@pytest.mark.parametrize(
    ("points", "expected"),
    [([], (0, 0, 0, 0)), ([5], (5, 5, 5, 5)), ([0, 10], (5, 2.5, 5, 7.5)), ([0, 1, 2, 3, 4], (2, 1, 2, 3))],
)
def test_quartiles(points: list[float], expected: tuple[float, ...]) -> None:
    found = quartiles(points)
    assert (found.mean, found.lower, found.median, found.upper) == expected
    assert spread("", [(p, p) for p in points], 9).left_out == 9 - len(points)


TARGET = PerformanceCase(name="wide", points=4, arguments={}, bound="memory", full_at=0.8, zero_at=0.4)


def timed(share: float, points: int, width: float = 0.01) -> ExerciseReport:
    """A passed test of 6 points and a timed case of 4."""
    seen = {
        **dict.fromkeys(("samples", "calls"), 10),
        **dict.fromkeys(("speedup", "baseline_ms", "events_ms", "drift"), 1.0),
        "time_ms": 1.0,
        "low_ms": 1 - width,
        "high_ms": 1 + width,
        "share": share,
        "share_of": "this device's copy bandwidth",
        "memory": "cuda ipc",
        "ceilings": {"copy_gbps": 1.0, "matmul_tflops": {}, "launch_us": 1.0, "measured_at": "", "health": {}},
        "health": {},
        "kernels": [],
        "ways": [],
    }
    fine = report(settings=[setting("test_small", 6)])
    status = Status.PASSED if points == 4 else Status.TOO_SLOW
    fields = {"name": "wide", "kind": "performance", "status": status, "points": points, "max_points": 4}
    case = CaseReport.model_validate({**fine.cases[0].model_dump(), **fields, "settings": [], "performance": seen})
    return fine.model_copy(update={"cases": [*fine.cases, case]})


def many(*statuses: Status) -> ExerciseReport:
    findings = [Finding(status, "wrong") if status is not Status.PASSED else Finding(status) for status in statuses]
    settings = [setting("test_widths", 4, finding) for finding in findings]
    return report(settings=[*settings, setting("other", 2, WRONG), setting("more", 4, WRONG)])


P, W = Status.PASSED, Status.INCORRECT


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (full_report(), []),
        (report(), [("test_hidden", "one case", 6)]),
        (many(P, W, P), [("test_widths", "one setting", 4)]),
        (many(P, W, W), []),
        (many(P, P, P), []),
        (timed(0.75, 3), [("wide", "one quarter", 4)]),
        (timed(0.65, 2), [("wide", "one case", 4)]),
        (timed(0.9, 4), []),
        (timed(0.8, 4), [("wide", "inside interval", 4)]),
        (timed(0.795, 4), [("wide", "inside interval", 4)]),
        (timed(0.795, 3), [("wide", "inside interval", 4), ("wide", "one quarter", 4)]),
    ],
)
def test_edges(made: ExerciseReport, expected: list[tuple[str, str, int]]) -> None:
    known = ADDING.model_copy(update={"performance": (TARGET,)})
    found = side([ADA], [result(made=made)])
    seen = edges(found.book, found.reports, [known])
    assert [(edge.case, edge.kind, edge.points) for edge in seen] == expected
    assert all(edge.people == ("ada",) for edge in seen)


def test_a_decided_or_open_grade_is_on_no_edge() -> None:
    decided = side([ADA], [result()], overrides=[NINE])
    for found in (decided, side([ADA], [result(made=failed())])):
        assert edges(found.book, found.reports, [ADDING]) == ()


def kept(path: Path, made: Conditions, verdict: ExerciseReport) -> Path:
    """A batch's folder of two students of the tests' own content."""
    folder = Folder(path)
    name = "double"
    students = [entry("1", "ada", files=[file(name)]), entry("2", "bob", files=[file(name, b"b")])]
    table = mapping(*students).model_copy(update={"exercises": (name,)})
    folder.keep(Intake(table, {one.content: b"a" for e in students for one in e.files}))
    folder.note(made)
    for data in (b"a", b"b"):
        folder.put(result(name, data, verdict, key=made.key))
    return path


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", "impact", *map(str, words), "--root", str(ROOT / "tests/content")]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)


def test_the_command(tmp_path: Path) -> None:
    old = kept(tmp_path / "old", conditions(exercise="double"), report("double"))
    new = Path(shutil.copytree(old, tmp_path / "new"))
    same = run(old, new)
    assert (same.returncode, same.stderr) == (0, "")
    assert "Nobody's points change." in same.stdout
    kept(new, conditions(exercise="double", tests="t2"), full_report("double"))
    found = run(old, new, "--json", tmp_path / "impact.json")
    assert found.returncode == 0, found.stderr
    assert "2 of 2 people have more" in found.stdout
    data = json.loads((tmp_path / "impact.json").read_text())
    assert Impact.model_validate(data).changes[0].gain == 6.0
    for words, message in (
        ([old, old], "the same folder twice"),
        ([old, tmp_path], "no batch.json; expected a folder"),
        ([tmp_path / "nowhere", new], "no batch.json"),
        ([old, new, "--json", tmp_path], "expected the name of a file"),
    ):
        refused = run(*words)
        assert refused.returncode == 2
        assert message in refused.stderr
    assert not (tmp_path / "nowhere").exists()
