"""The command `override`: checked, kept through every regrade, and safe where two TAs decide at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from typer.testing import CliRunner

from grader.batch import overrides
from grader.batch.books import bound
from grader.batch.folder import Folder
from grader.batch.mapping import content_of
from grader.batch.overrides import load_overrides
from grader.batch.result import Result
from grader.cli.app import app
from grader.errors import UsageError
from tests.batch.classes import CONTENT
from tests.batch.made_folder import EXERCISES, handed, keep, run, verdict
from tests.batch.made_up import entry
from tests.batch.test_again import conditions

LATE = "deadline: 2026-10-01 00:00+00:00\nper_day: 0.5\n"


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    entries = [
        entry("s1", "ada", files=handed("wrong")),
        entry("s2", "bob", "cyd", files=handed("ours", "double")),
        entry("s3", "dan", files=[]),
    ]
    return keep(tmp_path / "autumn", entries)


def override(folder: Path, *words: str, code: int = 0) -> list[str]:
    """The lines that it prints."""
    found = CliRunner().invoke(app, ["override", str(folder), *words, "--root", str(CONTENT)])
    assert found.exit_code == code, found.output
    return found.output.splitlines()


def points(folder: Path) -> dict[str, list[float | None]]:
    """What each person has for each exercise; None where it is open."""
    book = bound(Folder(folder), list(EXERCISES.values())).book
    return {row.person.id: [None if g.is_open else g.raw for g in row.grades] for row in book.rows}


def test_points_are_set_and_said(batch: Path) -> None:
    said = override(batch, "s1", "double", "4.5", "--reason", " shown in the lab ", "--by", "eve")
    assert said == [
        "s1, double: 2 of 5 (incorrect) → 4.5 of 5 (by hand)",
        "ada: sum after lateness 4 → 6.5 of 8",
    ]
    (kept,) = load_overrides(batch)
    assert (kept.entry, kept.exercise, kept.points, kept.reason, kept.by) == (
        "s1",
        "double",
        4.5,
        "shown in the lab",
        "eve",
    )
    assert kept.content == content_of(b"wrong")
    assert kept.at is not None
    assert points(batch)["ada"] == [4.5, 2]
    assert json.loads((batch / "book.json").read_text())["rows"][0]["grades"][0]["override"]["points"] == 4.5
    assert "shown in the lab" in (batch / "grades.csv").read_text()
    assert (batch / "grades.html").exists()


def test_what_is_open_is_decided_for_the_whole_group(batch: Path) -> None:
    (batch / "late.yaml").write_text(LATE)
    assert points(batch)["bob"] == points(batch)["cyd"] == [None, 0]
    said = override(batch, "s2", "double", "5", "--reason", "read by hand")
    assert said[0].startswith("s2, double: open (the grader failed")
    assert said[0].endswith("→ 5 of 5 (by hand)")
    assert said[1:] == [f"{person}: sum after lateness open → 2.5 of 8" for person in ("bob", "cyd")]


def test_a_second_decision_takes_the_place_of_the_first(batch: Path) -> None:
    override(batch, "s3", "triple", "1", "--reason", "first")
    said = override(batch, "s3", "triple", "2", "--reason", "second")
    assert said[0] == "s3, triple: 1 of 3 (by hand) → 2 of 3 (by hand)"
    assert [kept.reason for kept in load_overrides(batch)] == ["second"]
    assert load_overrides(batch)[0].content == ""


def test_taken_back_the_graders_points_count_again(batch: Path) -> None:
    override(batch, "s1", "double", "5", "--reason", "r")
    override(batch, "s3", "double", "1", "--reason", "r")
    assert override(batch, "s1", "double", "--remove")[0] == "s1, double: 5 of 5 (by hand) → 2 of 5 (incorrect)"
    assert [kept.entry for kept in load_overrides(batch)] == ["s3"]
    assert "no points of s1, double were set by hand; there are: s3 double" in " ".join(
        override(batch, "s1", "double", "--remove", code=2)
    )


def test_a_decision_about_nobody_can_be_taken_back(batch: Path) -> None:
    (batch / "overrides.json").write_text(
        '{"overrides": [{"entry": "gone", "exercise": "double", "points": 1, "reason": "r"}]}'
    )
    assert override(batch, "gone", "double", "--remove") == [
        "gone, double: taken back; this submission is not in the batch"
    ]
    assert load_overrides(batch) == ()


def test_it_is_kept_through_every_regrade(batch: Path) -> None:
    override(batch, "s1", "double", "4", "--reason", "r")
    for file in (batch / "results").glob("*/*.json"):
        file.unlink()
    assert points(batch)["ada"] == [4, None]
    keep(batch, [entry("s1", "ada", files=handed("right"))])  # another file, graded
    assert points(batch)["ada"] == [4, 3]
    book = bound(Folder(batch), list(EXERCISES.values())).book
    assert book.rows[0].problems == ("double: the file has changed since its points were set by hand; look again",)


def test_the_tests_change_and_it_is_kept_until_it_is_taken_back(batch: Path) -> None:
    override(batch, "s1", "double", "4", "--reason", "r")
    folder, changed = Folder(batch), conditions(exercise="double", tests="t2")
    folder.note(changed)
    content = content_of(b"wrong")
    folder.put(Result(exercise="double", content=content, conditions=changed.key, report=verdict("double", "right")))
    assert points(batch)["ada"] == [4, 2]
    assert override(batch, "s1", "double", "--remove")[0] == "s1, double: 4 of 5 (by hand) → 5 of 5 (passed)"


def test_as_a_ta_types_it(batch: Path, tmp_path: Path) -> None:
    decided = run("override", batch, "s1", "double", "4", "--reason", "[bold]seen[/bold]", "--by", "eve")
    assert (decided.returncode, decided.stderr) == (0, "")
    assert "→ 4 of 5 (by hand)" in decided.stdout
    table = run("export", batch, "--to", "csv", "-o", tmp_path / "grades.csv")
    assert (table.returncode, table.stderr) == (0, "")
    assert "double: [bold]seen[/bold]" in (tmp_path / "grades.csv").read_text()
    refused = run("export", tmp_path, "--to", "csv")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no batch.json" in refused.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["s4", "double", "1", "--reason", "r"], "SUBMISSION s4: not in this batch; expected one of its 3, such as s"),
        (["ada", "double", "1", "--reason", "r"], "ada is a person; their submission is s1"),
        (
            ["s1", "dubble", "1", "--reason", "r"],
            "EXERCISE dubble: not in this batch; expected one of its 2, such as double",
        ),
        (["s1", "halve", "1", "--reason", "r"], "EXERCISE halve: not in this batch"),
        (["s1", "double", "6", "--reason", "r"], "double has 5 points; add --bonus"),
        (["s1", "double", "11", "--reason", "r", "--bonus"], "at most 10, twice the 5 of double"),
        (["s1", "double", "nan", "--reason", "r"], "POINTS nan: expected a number of points"),
        (["s1", "double", "inf", "--reason", "r"], "POINTS inf: expected a number of points"),
        (["--reason", "r", "--", "s1", "double", "-1"], "POINTS -1: expected points from 0 to 5"),
        (["s1", "double", "1"], "--reason: expected a reason"),
        (["s1", "double", "1", "--reason", " "], "--reason: expected a reason"),
        (["s1", "double"], "POINTS: expected a number, or --remove"),
        (["s1", "double", "1", "--remove"], "--remove: takes SUBMISSION and EXERCISE alone"),
        (["s1", "double", "--remove"], "no points of s1, double were set by hand; there are: none"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_written(words: list[str], message: str, batch: Path) -> None:
    if "--" in words:
        found = CliRunner().invoke(app, ["override", "--root", str(CONTENT), *words[:3], str(batch), *words[3:]])
        assert found.exit_code == 2
        said = found.output
    else:
        said = " ".join(override(batch, *words, code=2))
    assert message in said
    assert not (batch / "overrides.json").exists()
    assert not (batch / "book.json").exists()


def test_a_damaged_file_is_not_written_over(batch: Path) -> None:
    (batch / "overrides.json").write_text('{"overrides": [')
    assert "overrides.json: the file: Invalid JSON" in override(batch, "s1", "double", "1", "--reason", "r", code=2)[0]
    assert (batch / "overrides.json").read_text() == '{"overrides": ['


def test_somebody_else_is_waited_for(batch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overrides, "LONGEST_WAIT_S", 0.0)
    other = FileLock(batch / "claims/overrides.lock")
    with other, pytest.raises(UsageError, match="somebody else is changing it"), overrides.editing(batch):
        pass
    with overrides.editing(batch):
        pass


MANY = """
import sys
from pathlib import Path
from grader.batch.book import Override
from grader.batch.overrides import editing, load_overrides, replaced, save_overrides
folder, entry = Path(sys.argv[1]), sys.argv[2]
for number in range(20):
    with editing(folder):
        new = Override(entry=entry, exercise=str(number), points=1, reason="r")
        save_overrides(folder, replaced(load_overrides(folder), new))
"""


def test_many_at_once_lose_nothing(batch: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", MANY, str(batch), name]) for name in ("a", "b", "c")]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    assert len(load_overrides(batch)) == 60


def test_signs_that_no_file_takes_are_left_out_of_a_reason(batch: Path) -> None:
    override(batch, "s1", "double", "1", "--reason", "a\x1b[2Jb\udcffc")
    assert load_overrides(batch)[0].reason == "ab\ufffdc"
