"""The command `override`: what it says and stores, what it refuses, and that no regrade takes it away."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.batch.book import Override
from grader.batch.books import bound
from grader.batch.folder import Folder
from grader.batch.mapping import Intake, content_of
from grader.batch.overrides import editing, load_overrides, save_overrides
from grader.commands import override_grade
from grader.commands.override_grade import Decision
from grader.errors import UsageError
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
