"""`export` and `override` over a batch's folder: what is written, what is left out and said, what is refused."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.batch.book import Override
from grader.batch.books import bound
from grader.batch.folder import Folder
from grader.batch.mapping import Intake, content_of
from grader.batch.overrides import editing, load_overrides, save_overrides
from grader.commands import export_grades, override_grade
from grader.commands.export_grades import Wanted
from grader.commands.override_grade import Decision
from grader.errors import UsageError
from grader.export import own_folder
from grader.loading import load_all
from grader.report import ExerciseReport
from tests.batch.classes import CONTENT
from tests.batch.made_up import WRONG, entry, failed, file, mapping, report, result, setting
from tests.batch.test_again import conditions

ROOT = CONTENT.parents[1]
NAME = "double"
FORMULA = "=HYPERLINK(1)"
HOMEWORK = "Homework 2 (4711)"
GRADEBOOK = (
    "Student;ID;SIS Login ID;Section;Homework 2 (4711)\r\n"
    "    Points Possible;;;;5,00\r\n"
    "Ada;101;ada;S1;\r\n"
    "Bob;102;bob;S1;1,50\r\n"
    "Cyd;103;cyd;S1;2,00\r\n"
)


def verdict(points: int = 3) -> ExerciseReport:
    settings = [setting("test_small", points), setting("test_hidden", 5 - points, WRONG, hidden=True)]
    return report(NAME, [one for one in settings if one.points]).model_copy(update={"max_points": 5})


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    """A group with 3 of 5 points, half of it left; somebody who is open; a formula without a file. Two are late."""
    folder = Folder(tmp_path / "autumn", seed=1)
    group = entry("1", "ada", "bob", files=[file(NAME)])
    table = mapping(group, entry("2", "cyd", files=[file(NAME, b"b")]), entry("3", FORMULA, files=[]))
    folder.keep(
        Intake(table.model_copy(update={"exercises": (NAME,)}), {content_of(data): data for data in (b"a", b"b")})
    )
    made = conditions(exercise=NAME)
    folder.note(made)
    folder.put(result(NAME, b"a", verdict(), key=made.key))
    folder.put(result(NAME, b"b", failed(NAME), key=made.key))
    folder.policy.write_text(
        'deadline: 2026-10-01T11:00+00:00\nper_day: 0.5\nextensions: {bob: 1, "=HYPERLINK(1)": 1}\n'
    )
    return folder.path


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = Folder(tmp_path / "nobody", seed=1)
    folder.keep(Intake(mapping().model_copy(update={"exercises": (NAME,)}), {}))
    return folder.path


@pytest.fixture
def export(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def call(path: Path, to: str, **more: Any) -> str:
        assert export_grades.run(CONTENT, path, Wanted(to, **more)) == 0
        return " ".join(capsys.readouterr().out.split())

    return call


@pytest.fixture
def override(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def call(path: Path, *words: Any, **more: Any) -> str:
        assert override_grade.run(CONTENT, path, Decision(*words, **more)) == 0
        return " ".join(capsys.readouterr().out.split())

    return call


def final(path: Path) -> dict[str, float | None]:
    book = bound(Folder(path), load_all(CONTENT)).book
    return {row.person.id: row.final if row.is_finished else None for row in book.rows}


def test_the_made_up_class(batch: Path) -> None:
    assert final(batch) == {"ada": 1.5, "bob": 3, "cyd": None, FORMULA: 0}


def test_one_table(batch: Path, export: Callable[..., str]) -> None:
    said = export(batch, "csv")
    assert "4 lines written, 1 of them with open grades, which are empty" in said
    assert "unfinished: cyd (2): double: " in said
    rows = list(csv.DictReader((batch / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["id"]: row["total"] for row in rows} == {"ada": "1.5", "bob": "3", "cyd": "", f"'{FORMULA}": "0"}


def test_a_gradebook_with_semicolons_and_decimal_commas(
    batch: Path, tmp_path: Path, export: Callable[..., str]
) -> None:
    gradebook, filled = tmp_path / "gradebook.csv", tmp_path / "filled.csv"
    gradebook.write_bytes(GRADEBOOK.encode())
    asked = {"gradebook": gradebook, "columns": (HOMEWORK,), "output": filled}
    dry = export(batch, "canvas", dry_run=True, **asked)
    assert not filled.exists()
    for words in (
        "ada (Ada): Homework 2 (4711): empty → 1,50",
        "bob (Bob): Homework 2 (4711): 1,50 → 3,00",
        "not filled in: cyd (Cyd): Homework 2 (4711): not decided yet (double)",
        f"not filled in: {FORMULA}",
        "2 cells filled in, 0 the same already, 2 not filled in (dry run: nothing was written)",
    ):
        assert words in dry
    assert "2 cells filled in" in export(batch, "canvas", **asked)
    expected = GRADEBOOK.replace("ada;S1;", "ada;S1;1,50").replace("bob;S1;1,50", "bob;S1;3,00")
    assert filled.read_bytes().decode() == expected
    assert gradebook.read_bytes().decode() == GRADEBOOK


@pytest.mark.parametrize(
    ("to", "suffix", "names", "more"),
    [
        ("gradescope", ".json", ["1", "3"], {}),
        ("classroom50", ".json", ["1", "3"], {"classroom": "cs", "assignment": "hw2"}),
        ("junit", ".xml", ["1", "2", "3"], {}),
    ],
)
def test_a_file_for_each_submission(
    batch: Path, export: Callable[..., str], to: str, suffix: str, names: list[str], more: Any
) -> None:
    said = export(batch, to, **more)
    files = sorted(p for p in (batch / to).iterdir() if p.name != own_folder.MARK)
    assert [p.name for p in files] == [f"{name}{suffix}" for name in names]
    assert f"{len(names)} of 3 submissions written" in said
    assert "unfinished: cyd (2)" in said
    for each in files:
        assert json.loads(each.read_text()) if suffix == ".json" else ElementTree.parse(each)


def test_a_page_for_each_person(batch: Path, export: Callable[..., str]) -> None:
    assert "4 pages written, 1 of them with open grades" in export(batch, "students")
    pages = sorted(p.name for p in (batch / "students").glob("*.md"))
    assert [name[:4] for name in pages] == ["HYPE", "ada.", "bob.", "cyd."] or len(pages) == 4
    assert "**1.5 of 5 points.** 1 day late: 0.5 of the points are left." in (batch / "students/ada.md").read_text()
    assert "Not decided yet" in (batch / "students/cyd.md").read_text()


def test_what_is_open_again_is_taken_away(batch: Path, export: Callable[..., str]) -> None:
    more = {"classroom": "cs", "assignment": "hw2"}
    export(batch, "classroom50", **more)
    changed = conditions(exercise=NAME, tests="t2")
    Folder(batch).note(changed)  # the tests changed and nobody is graded anew yet
    said = export(batch, "classroom50", **more)
    assert "taken away, since it is not written any more: 1.json" in said
    assert not (batch / "classroom50/1.json").exists()


@pytest.mark.parametrize("to", ["gradescope", "junit", "students", "csv"])
def test_an_empty_book(empty: Path, export: Callable[..., str], to: str) -> None:
    assert " written" in export(empty, to)


@pytest.mark.parametrize(
    ("to", "more", "message"),
    [
        ("moodle", {}, "--to 'moodle': expected one of gradescope, canvas"),
        ("csv", {"columns": ("x",)}, "--column: is for --to canvas, found --to csv"),
        ("csv", {"output": Path("/nowhere/at/all.csv")}, "in a folder that exists"),
        ("canvas", {}, "--gradebook: expected the gradebook that Canvas exports"),
        ("canvas", {"gradebook": Path("/nowhere.csv")}, "cannot be read: No such file"),
        ("gradescope", {"hidden": "public"}, "--hidden 'public': expected one of"),
        ("classroom50", {}, "--classroom '': expected the short name"),
        ("classroom50", {"submitted_at": "today"}, "--submitted-at 'today': expected a time with its zone"),
        ("junit", {"output": CONTENT}, "which no export wrote; name a new folder"),
    ],
)
def test_what_export_refuses(batch: Path, to: str, more: Any, message: str) -> None:
    before = sorted(batch.rglob("*"))
    with pytest.raises(UsageError) as caught:
        export_grades.run(CONTENT, batch, Wanted(to, **more))
    assert message in str(caught.value)
    assert sorted(batch.rglob("*")) == before


def test_nothing_is_written_over(batch: Path, tmp_path: Path, export: Callable[..., str]) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_bytes(GRADEBOOK.encode())
    with pytest.raises(UsageError, match="is there already"):
        export(batch, "csv", output=mine)
    with pytest.raises(UsageError, match="is the gradebook itself"):
        export(batch, "canvas", output=mine, gradebook=mine, columns=(HOMEWORK,), replace=True)
    assert mine.read_bytes().decode() == GRADEBOOK
    export(batch, "csv", output=mine, replace=True)
    assert mine.read_text().startswith("id,")


# -- override


def test_points_by_hand_are_kept_through_a_regrade(batch: Path, override: Callable[..., str]) -> None:
    said = override(batch, "1", NAME, 4.5, reason=" shown in the lab\udcff ", by="tom")
    assert "1, double: 3 of 5 (" in said
    assert "→ 4.5 of 5 (by hand)" in said
    assert "ada: sum after lateness 1.5 → 2.25 of 5" in said
    assert "bob: sum after lateness 3 → 4.5 of 5" in said
    (stored,) = load_overrides(batch)
    assert (stored.content, stored.reason, stored.by) == (content_of(b"a"), "shown in the lab\ufffd", "tom")
    assert "4.5" in (batch / "grades.csv").read_text()
    regraded = conditions(exercise=NAME, tests="t2")
    Folder(batch).note(regraded)
    Folder(batch).put(result(NAME, b"a", verdict(5), key=regraded.key))
    assert final(batch)["bob"] == 4.5
    back = override(batch, "1", NAME, remove=True)
    assert "4.5 of 5 (by hand) → 5 of 5 (passed)" in back
    assert final(batch)["bob"] == 5


def test_what_was_open_is_decided(batch: Path, override: Callable[..., str]) -> None:
    said = override(batch, "2", NAME, 0, reason="never ran")
    assert "cyd: sum after lateness open → 0 of 5" in said
    assert final(batch)["cyd"] == 0


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Decision("4", NAME, 1, "r"), "SUBMISSION 4: not in this batch"),
        (Decision("ada", NAME, 1, "r"), "ada is a person; their submission is 1"),
        (Decision("1", "duoble", 1, "r"), "such as double"),
        (Decision("1", "triple", 1, "r"), "EXERCISE triple: not in this batch"),
        (Decision("1", NAME, 1), "--reason: expected a reason"),
        (Decision("1", NAME, 5.5, "r"), "double has 5 points; add --bonus"),
        (Decision("1", NAME, -1, "r"), "expected points from 0 to 5"),
        (Decision("1", NAME, float("nan"), "r"), "points: "),
        (Decision("1", NAME), "POINTS: expected a number, or --remove"),
        (Decision("1", NAME, 1, "r", remove=True), "--remove: takes SUBMISSION and EXERCISE alone"),
        (Decision("1", NAME, remove=True), "no points of 1, double were set by hand; there are: none"),
    ],
)
def test_what_override_refuses(batch: Path, decision: Decision, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        override_grade.run(CONTENT, batch, decision)
    assert message in str(caught.value)
    assert load_overrides(batch) == ()


def test_two_who_decide_at_once_lose_nothing(batch: Path) -> None:
    other = Override(entry="2", exercise=NAME, points=1, reason="the other one")
    decision = Decision("1", NAME, 2, "r")
    waiting = threading.Thread(target=override_grade.run, args=(CONTENT, batch, decision))
    with editing(batch):
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        save_overrides(batch, [other])
    waiting.join(20)
    assert [(o.entry, o.points) for o in load_overrides(batch)] == [("1", 2), ("2", 1)]


# -- as a TA types it


def grader(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *map(str, words), "--root", str(CONTENT)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)


def test_the_commands(batch: Path, tmp_path: Path) -> None:
    decided = grader("override", batch, "1", NAME, "4", "--reason", "[bold]seen[/bold]", "--by", "tom")
    assert (decided.returncode, decided.stderr) == (0, "")
    assert "→ 4 of 5 (by hand)" in decided.stdout
    gradebook = tmp_path / "gradebook.csv"
    gradebook.write_bytes(GRADEBOOK.encode())
    words = ("--gradebook", gradebook, "--column", f"{NAME}={HOMEWORK}", "-o", tmp_path / "filled.csv")
    filled = grader("export", batch, "--to", "canvas", *words)
    assert (filled.returncode, filled.stderr) == (0, "")
    assert b"ada;S1;2,00\r\n" in (tmp_path / "filled.csv").read_bytes()
    refused = grader("export", tmp_path, "--to", "csv")
    assert refused.returncode == 2
    assert "no batch.json" in refused.stderr
