"""Ingest: every layout, and hand-ins as strangers make them."""

from __future__ import annotations

import io
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from rich.console import Console

from grader.batch import table
from grader.batch.ingest import ingest
from grader.batch.mapping import Intake
from grader.errors import UsageError
from grader.exercise import Exercise, load_all
from grader.submission import MAX_BYTES
from tests.batch.classes import CONTENT
from tests.batch.odd_inputs import GOOD, NEWER, ODD, Odd, file, files, zipped


@pytest.fixture(scope="module")
def exercises() -> list[Exercise]:
    return load_all(CONTENT)


def text_of(intake: Intake, exercises: list[Exercise]) -> str:
    console = Console(file=io.StringIO(), width=250, force_terminal=False)
    table.show(intake.mapping, exercises, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def owners(intake: Intake) -> dict[str, list[str]]:
    return {entry.id: sorted(file.exercise for file in entry.files) for entry in intake.mapping.entries}


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.name)
def test_an_odd_hand_in_has_a_clear_line_and_touches_nobody(
    tmp_path: Path, exercises: list[Exercise], odd: Odd
) -> None:
    folder = tmp_path / "class"
    files("zoe/double.py", data=b"def double(x): ...")(folder)
    try:
        odd.build(folder)
    except OSError:
        pytest.skip("not run: this file system does not take the name")
    intake = ingest(folder, exercises)
    shown = text_of(intake, exercises)
    assert re.search(odd.line, shown), shown
    assert "\x1b" not in shown
    assert owners(intake)["zoe"] == ["double"]
    others = [entry for entry in intake.mapping.entries if entry.id != "zoe"]
    assert any(entry.files for entry in others) == odd.has_file, shown
    for entry in others:
        assert re.fullmatch(r"[\w.@+~-]+", entry.id)
        assert all(len(intake.files[each.content]) <= MAX_BYTES + 1 for each in entry.files)


def test_there_are_enough_odd_inputs() -> None:
    assert len({odd.name for odd in ODD}) == len(ODD) >= 50


def test_folders_and_archives_may_be_mixed(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("ada/double.py", "ada/sub/triple.py")(tmp_path)
    file("bob.zip", zipped({"x/double.py": NEWER}))(tmp_path)
    file("cyd.tar.gz", b"")(tmp_path)
    intake = ingest(tmp_path, exercises)
    assert intake.mapping.layout == "folders"
    assert owners(intake) == {"ada": ["double", "triple"], "bob": ["double"], "cyd": []}
    assert intake.mapping.entries[1].files[0].source == "bob.zip/x/double.py"


@pytest.mark.parametrize("wrapping", ["", "class/", "a/b/"])
def test_one_zip_of_everything(tmp_path: Path, exercises: list[Exercise], wrapping: str) -> None:
    members = {f"{wrapping}ada/double.py": GOOD, f"{wrapping}bob/double.py": NEWER}
    members[f"{wrapping}cyd/answers.zip"] = zipped({"double.py": GOOD})
    file("all.zip", zipped(members))(tmp_path)
    assert owners(ingest(tmp_path / "all.zip", exercises)) == {"ada": ["double"], "bob": ["double"], "cyd": ["double"]}
    assert owners(ingest(tmp_path, exercises))["ada"] == ["double"]  # the folder with the zip in it, too


def test_gradescope(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("assignment_7_export/submission_11/double.py", "assignment_7_export/submission_13/triple.py")(tmp_path)
    file("assignment_7_export/submission_12/double.py", NEWER)(tmp_path)
    file("assignment_7_export/submission_99/double.py", NEWER)(tmp_path)
    metadata = """
submission_11:
  :submitters:
  - :name: Ada
    :sid: '1001'
    :email: ada@x.edu
  - :name: Bob
    :sid: '1002'
    :email: bob@x.edu
  :created_at: 2026-11-02 10:00:00.000000000 Z
  :score: 3.0
submission_12:
  :submitters:
  :created_at: '2026-11-03T10:00:00+01:00'
submission_13:
  :submitters:
  - :name: Cyd
    :sid:
    :email: cyd@x.edu
broken: 7
"""
    file("assignment_7_export/submission_metadata.yml", metadata.encode())(tmp_path)
    intake = ingest(tmp_path, exercises)
    assert intake.mapping.layout == "gradescope"
    group, nobody, single = intake.mapping.entries
    assert [person.id for person in group.people] == ["1001", "1002"]
    assert group.submitted_at is not None
    assert (group.submitted_at.hour, group.submitted_at.utcoffset()) == (10, group.submitted_at.utcoffset())
    assert nobody.submitted_at is not None
    assert nobody.submitted_at.tzinfo is not None
    assert nobody.people[0].id == "submission_12"
    assert "names no submitter" in nobody.problems[0]
    assert (single.people[0].id, single.people[0].name) == ("cyd@x.edu", "Cyd")
    said = " ".join(intake.mapping.problems)
    assert "broken: expected a record" in said
    assert "submission_99/double.py is not named in submission_metadata.yml" in said


@pytest.mark.parametrize("text", ["- 1\n", "a: [", "!!python/object/apply:os.system ['true']"])
def test_metadata_that_is_none_is_refused(tmp_path: Path, exercises: list[Exercise], text: str) -> None:
    file("submission_metadata.yml", text.encode())(tmp_path)
    with pytest.raises(UsageError, match=r"submission_metadata.yml"):
        ingest(tmp_path, exercises)


def test_canvas(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("adalovelace_1001_501_double.py", "bobx_late_1002_502_double.py", "bobx_1002_503_triple-1.py")(tmp_path)
    file("bobx_late_1002_600_double-1.py", NEWER)(tmp_path)
    file("d2r_late_4_7_notes_1_2.txt", b"")(tmp_path)
    intake = ingest(tmp_path, exercises)
    assert intake.mapping.layout == "canvas"
    assert owners(intake) == {"1001": ["double"], "1002": ["double", "triple"], "4": []}
    ada, bob = intake.mapping.entries[:2]
    assert (ada.is_late, bob.is_late, ada.people[0].name) == (False, True, "adalovelace")
    assert intake.files[next(f for f in bob.files if f.exercise == "double").content] == NEWER
    assert "bobx_late_1002_600_double-1.py is the newest" in bob.problems[0]


def test_classroom(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("hw1-submissions/hw1-ada/exercises/double/double.py", "hw1-submissions/hw1-bob/double.py")(tmp_path)
    files("hw1-submissions/hw1-ada/.git/config", "hw1-submissions/hw1-ada/exercises/double/test_visible.py")(tmp_path)
    files("README.txt")(tmp_path)
    intake = ingest(tmp_path, exercises)
    assert intake.mapping.layout == "classroom"
    assert owners(intake) == {"ada": ["double"], "bob": ["double"]}
    assert intake.mapping.entries[0].ignored == ("exercises/double/test_visible.py",)


def test_a_pattern(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("hand-in/2026/s-17 (Ada)/LATE/double.py", "hand-in/2026/s-18 (Bob)/double.py", "hand-in/odd.txt")(tmp_path)
    pattern = r"/(?P<id>s-\d+) \((?P<name>\w+)\)/(?P<late>LATE)?"
    intake = ingest(tmp_path, exercises, pattern=pattern)
    assert owners(intake) == {"s-17": ["double"], "s-18": ["double"]}
    assert [entry.is_late for entry in intake.mapping.entries] == [True, False]
    assert "hand-in/odd.txt does not match the pattern" in intake.mapping.problems


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pattern": "(?P<id>"}, "--pattern"),
        ({"pattern": "x"}, "expected a group"),
        ({"layout": "moodle"}, "expected one of auto"),
        ({"roster": Path("nowhere.csv")}, "cannot be read"),
    ],
)
def test_bad_usage_is_said(tmp_path: Path, exercises: list[Exercise], given: dict[str, object], words: str) -> None:
    files("ada/double.py")(tmp_path)
    with pytest.raises(UsageError, match=re.escape(words)):
        ingest(tmp_path, exercises, **given)  # type: ignore[arg-type]


def test_nothing_at_all_is_said(tmp_path: Path, exercises: list[Exercise]) -> None:
    with pytest.raises(UsageError, match="no submission found"):
        ingest(tmp_path, exercises)
    with pytest.raises(UsageError, match="there is no such"):
        ingest(tmp_path / "nowhere", exercises)
    file("broken.zip", b"x")(tmp_path)
    with pytest.raises(UsageError, match="no submission found"):
        ingest(tmp_path / "broken.zip", exercises)


ROSTER = """\ufeffSIS User ID;Student;Email
1001;Ada;ada@x.edu
1002;Bob;bob@x.edu
1001;Again;x
;Nobody;
1003;Cyd;BOB@x.edu
"""


def test_a_roster_joins_names_and_says_what_does_not_fit(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("class/1001/double.py", "class/1999/double.py")(tmp_path)
    file("roster.csv", ROSTER.encode())(tmp_path)
    intake = ingest(tmp_path / "class", exercises, roster=tmp_path / "roster.csv")
    assert [(e.id, e.people[0].name) for e in intake.mapping.entries] == [
        ("1001", "Ada"),
        ("1002", "Bob"),
        ("1003", "Cyd"),
        ("1999", ""),
    ]
    assert intake.mapping.entries[1].problems == ("nothing was handed in",)
    assert "1999 is not in the roster" in intake.mapping.entries[3].problems
    said = " ".join(intake.mapping.problems)
    for words in ("roster.csv:4: the id 1001 stands here twice", "roster.csv:5: no id", "bob@x.edu belongs to 2"):
        assert words in said


def test_a_roster_without_ids_is_refused(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("class/1001/double.py")(tmp_path)
    file("roster.csv", b"a,b\n1,2\n")(tmp_path)
    with pytest.raises(UsageError, match="expected a header with one of id"):
        ingest(tmp_path / "class", exercises, roster=tmp_path / "roster.csv")


def test_a_file_that_cannot_be_read(tmp_path: Path, exercises: list[Exercise], monkeypatch: pytest.MonkeyPatch) -> None:
    files("ada/double.py", "bob/double.py")(tmp_path)
    opened = Path.open

    def refused(self: Path, *arguments: object, **named: object) -> object:
        if "ada" in self.parts:
            raise PermissionError(13, "Permission denied")
        return opened(self, *arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refused)
    intake = ingest(tmp_path, exercises)
    assert owners(intake) == {"ada": [], "bob": ["double"]}
    assert intake.mapping.entries[0].problems == ("double.py cannot be read: Permission denied",)


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, exercises: list[Exercise], monkeypatch: pytest.MonkeyPatch
) -> None:
    files("ada/double.py")(tmp_path)
    fstat = os.fstat

    def later(descriptor: int) -> os.stat_result:
        os.utime(tmp_path / "ada/double.py", ns=(1, fstat(descriptor).st_mtime_ns + 1_000_000_000))
        return fstat(descriptor)

    monkeypatch.setattr(os, "fstat", later)
    intake = ingest(tmp_path, exercises)
    assert "changed while it was read; run again" in intake.mapping.entries[0].problems[0]


def test_a_large_class_is_read_in_seconds(tmp_path: Path, exercises: list[Exercise]) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for number in range(1000):
            archive.writestr(f"{number:04}/double.py", GOOD + f"# {number}".encode())
            archive.writestr(f"{number:04}/more.zip", zipped({"triple.py": GOOD}))
    intake = ingest(tmp_path / "all.zip", exercises)
    assert len(intake.mapping.entries) == 1000
    assert all(len(entry.files) == 2 for entry in intake.mapping.entries)


def test_what_was_read_is_kept_when_the_folder_goes(tmp_path: Path, exercises: list[Exercise]) -> None:
    files("class/ada/double.py")(tmp_path)
    intake = ingest(tmp_path / "class", exercises)
    shutil.rmtree(tmp_path / "class")
    assert intake.files[intake.mapping.entries[0].files[0].content] == GOOD
