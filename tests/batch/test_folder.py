"""The folder of a batch: what it refuses, what it keeps, and that nothing finished is lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from grader import files
from grader.batch.folder import Folder
from grader.batch.mapping import Mapping
from grader.batch.result import Result
from grader.errors import UsageError
from grader.report import ExerciseReport
from grader.status import Status
from tests.batch.classes import intake


def report(status: Status, points: int = 0) -> ExerciseReport:
    return ExerciseReport(
        name="double",
        title="Double",
        file="double.py",
        status=status,
        points=points,
        max_points=9,
        not_measured_points=0,
        next_step="",
        cases=[],
    )


def result(status: Status = Status.PASSED, content: str = "c" * 32, conditions: str = "d" * 16) -> Result:
    return Result(exercise="double", content=content, conditions=conditions, report=report(status, 3))


def test_it_is_made_and_opened_again_with_the_same_seed(tmp_path: Path) -> None:
    made = Folder(tmp_path / "out/deep")
    assert Folder(tmp_path / "out/deep").seed == made.seed
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o700  # a submission may run as another user
    assert Folder(tmp_path / "other").seed != made.seed


def test_two_that_make_it_at_once_agree_on_the_seed(tmp_path: Path) -> None:
    files.write_first(tmp_path / "batch.json", '{"seed": 1}')
    files.write_first(tmp_path / "batch.json", '{"seed": 2}')
    assert Folder(tmp_path).seed == 1
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_without_hard_links_the_first_stays_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path, target: Path) -> None:
        raise PermissionError(1, "not supported")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    for text in ("first", "second"):
        files.write_first(tmp_path / "a", text)
    assert (tmp_path / "a").read_text() == "first"


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("notes.txt", "mine", "holds notes.txt and no batch.json"),
        ("batch.json", "", "not a file of a batch, or a damaged one"),
        ("batch.json", "[1]", "not a file of a batch"),
        ("batch.json", '{"schema_version": 99, "seed": 1}', "another version of the grader (format 99"),
    ],
)
def test_a_folder_of_something_else_is_refused(tmp_path: Path, name: str, content: str, text: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=r".") as caught:
        Folder(tmp_path)
    assert text in str(caught.value)
    assert (tmp_path / name).read_text() == content


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="expected a folder"):
        Folder(tmp_path / "out")


def test_without_a_mapping_it_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="grader batch SUBMISSIONS"):
        Folder(tmp_path).mapping()


def test_a_damaged_mapping_is_said(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / "mapping.json").write_text('{"layout": "x", "ent')
    with pytest.raises(UsageError, match=r"mapping.json: not a file of a batch"):
        folder.mapping()


def test_later_submissions_join_the_earlier_ones(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.keep(intake(ada="correct", bob="raises"))
    folder.keep(intake(bob="correct", cyd="raises"))
    mapping = folder.mapping()
    assert [entry.id for entry in mapping.entries] == ["ada", "bob", "cyd"]
    assert mapping.problems == ("ada was handed in before and is not there now; its grades stay",)
    for entry in mapping.entries:
        assert folder.file(entry.files[0].content)
    assert mapping.entries[1].files == intake(b="correct").mapping.entries[0].files  # the new one


def test_another_class_is_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.keep(intake(ada="correct"))
    before = (tmp_path / "mapping.json").read_bytes()
    with pytest.raises(UsageError, match="it is another class's"):
        folder.keep(intake(zoe="correct"))
    assert (tmp_path / "mapping.json").read_bytes() == before


def test_a_fault_of_ours_never_takes_the_place_of_a_verdict(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.put(result(Status.GRADER_ERROR))
    folder.put(result(Status.PASSED))
    folder.put(result(Status.GRADER_ERROR))
    found = folder.result("double", "c" * 32, "d" * 16)
    assert found is not None
    assert found.report.status is Status.PASSED


def test_a_result_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.put(result())
    folder.put(result(conditions="e" * 16))
    file = tmp_path / "results/double" / result().name
    file.write_bytes(file.read_bytes()[:100])
    (file.parent / ".left.json").write_text("{}")
    assert folder.result("double", "c" * 32, "d" * 16) is None
    assert [found.conditions for found in folder.results()] == ["e" * 16]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(tmp_path / "a", "before")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write(tmp_path / "a", "after")
    assert (tmp_path / "a").read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_an_empty_mapping_takes_any_class(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.keep(intake())
    assert isinstance(folder.keep(intake(ada="correct")), Mapping)
