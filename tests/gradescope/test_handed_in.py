"""What Gradescope tells of a submission, also where it is odd; nothing is run here."""

from __future__ import annotations

import contextlib
import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.batch.mapping import Person
from grader.errors import UsageError
from grader.gradescope import handed_in, metadata, settings
from grader.gradescope.handed_in import message
from grader.gradescope.places import closed
from grader.gradescope.settings import BUDGET, Settings
from grader.loading import load_all
from tests.batch.made_up import exercise
from tests.gradescope.places import METADATA, lay_out, tell, zipped


def read(folder: Path, content: object, *known: str) -> metadata.Metadata:
    tell(folder, content)
    return metadata.read(folder / metadata.FILE, known)


def test_a_group_and_its_time(tmp_path: Path) -> None:
    found = read(tmp_path, METADATA)
    assert found.id == "4711"
    assert [person.id for person in found.people] == ["Ada@example.org", "bob@example.org"]
    assert found.submitted_at == datetime(2026, 10, 1, 21, 0, 0, 365935, tzinfo=timezone.utc)
    assert (found.is_late, found.problems) == (True, ())


@pytest.mark.parametrize(("known", "ids"), [("ada@example.org", ["ada@example.org", "bob@example.org"]), ("12", None)])
def test_people_have_the_ids_of_the_late_policy(tmp_path: Path, known: str, ids: list[str] | None) -> None:
    found = read(tmp_path, METADATA, known)
    assert [person.id for person in found.people] == (ids or ["Ada@example.org", "12"])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "not readable as JSON"),
        ("[" * 200_000, "not readable as JSON"),
        ('{"id": ' + "9" * 5000 + "}", "not readable as JSON"),
        ("[1, 2]", "expected fields, found [1, 2]"),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "not readable as JSON"),
        ({}, "created_at: expected a time, found None"),
        ({**METADATA, "created_at": "yesterday"}, "created_at: expected a time, found 'yesterday'"),
        ({**METADATA, "created_at": "9999-12-31T23:59:59-12:00"}, "created_at: expected a time"),
        ({**METADATA, "created_at": 12}, "created_at: expected a time, found 12"),
        ({**METADATA, "users": None}, "users: expected a list of people, found None"),
        ({**METADATA, "users": [[], {"email": {}}]}, "users: expected email, id and name, found []"),
    ],
)
def test_garbage_is_a_problem_for_staff_and_never_fatal(tmp_path: Path, content: Any, problem: str) -> None:
    found = read(tmp_path, content)
    assert problem in " ".join(found.problems)
    assert found.people
    assert all(len(line) < 200 and line.isprintable() for line in found.problems)


def test_no_metadata_at_all(tmp_path: Path) -> None:
    found = metadata.read(tmp_path / metadata.FILE)
    assert found.people == (Person(id="submission"),)
    assert "cannot be read: No such file or directory" in found.problems[0]


def test_names_do_nothing_to_a_terminal(tmp_path: Path) -> None:
    (person,) = read(tmp_path, {**METADATA, "users": [{"email": "\x1b[2Ja@b\n", "name": "x" * 9999}]}).people
    assert person.id == "[2Ja@b"
    assert len(person.name) == 200


@pytest.mark.parametrize("where", ["second.py", "deep/down/second.py", "second (3).py", "answers.zip"])
def test_files_are_found_in_any_layout(tmp_path: Path, where: str) -> None:
    course = lay_out(tmp_path, ["first", "second"])
    place = tmp_path / "submission" / where
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(zipped(second="x = 1") if where.endswith(".zip") else b"x = 1")
    found = handed_in.read(tmp_path, load_all(course))
    assert [(file.exercise, file.size) for file in found.entry.files] == [("second", 5)]
    assert (found.message, found.intake.mapping.exercises) == ("", ("first", "second"))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("", b"", "nothing was handed in"),
        ("notes.txt", b"", "no file of an exercise; there is notes.txt"),
        ("a.zip", b"no zip", "a.zip cannot be opened: File is not a zip file"),
    ],
)
def test_nothing_of_use_says_what_was_found_and_what_is_expected(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    course = lay_out(tmp_path, ["first", "second"])
    if name:
        (tmp_path / "submission" / name).write_bytes(data)
    text = handed_in.read(tmp_path, load_all(course)).message
    assert text.splitlines()[0] == "No file of this assignment was found, so nothing was run."
    assert said in text
    assert "Expected: first.py, second.py" in text


def test_links_out_of_the_submission_are_not_followed(tmp_path: Path) -> None:
    course = lay_out(tmp_path, ["first"])
    (tmp_path / "submission/first.py").symlink_to(course / "exercises/first/hidden/test_hidden.py")
    found = handed_in.read(tmp_path, load_all(course))
    assert (found.entry.files, found.intake.files) == ((), {})
    assert "first.py is a link" in found.message


def test_the_message_is_bounded() -> None:
    text = message([f"{'x' * 5000} {i}" for i in range(1000)], [exercise()], has_files=True)
    assert len(text) < 2000
    assert text.endswith("… and 994 more of the kind")


def test_without_gradescopes_folder_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="submission: there is no such folder"):
        handed_in.read(tmp_path, [exercise()])


# -- the package's settings


def test_settings_travel(tmp_path: Path) -> None:
    given = Settings(seed=7, hidden="hidden", time_limit_min=40)
    (tmp_path / settings.FILE).write_text(given.model_dump_json())
    assert settings.load(tmp_path) == given


@pytest.mark.parametrize("text", [None, "", "{}", '{"seed": -1}', '{"seed": 1, "hidden": "never"}', '{"seed": NaN}'])
def test_damaged_settings_are_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / settings.FILE).write_text(text)
    with pytest.raises(UsageError, match=r"package\.json"):
        settings.load(tmp_path)


@pytest.mark.parametrize(("given", "seconds"), [("", 570.0), ("12.5", 12.5)])
def test_the_budget(monkeypatch: pytest.MonkeyPatch, given: str, seconds: float) -> None:
    monkeypatch.setenv(BUDGET, given)
    assert settings.budget_s(Settings(seed=1)) == seconds


@pytest.mark.parametrize("given", ["ten", "0", "-1", "nan", "inf"])
def test_a_budget_that_is_none(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv(BUDGET, given)
    with pytest.raises(UsageError, match=f"{BUDGET}='{given}': expected seconds"):
        settings.budget_s(Settings(seed=1))


# -- what is closed


def test_places_are_closed_and_opened_again(tmp_path: Path) -> None:
    lay_out(tmp_path, ["first"])
    places = [tmp_path / name for name in ("results", "source", "submission_metadata.json", "missing")]

    def modes() -> list[int]:
        return [place.stat().st_mode & 0o777 for place in places[:3]]

    before = modes()
    assert all(mode & 0o077 for mode in before)
    with contextlib.suppress(ZeroDivisionError), closed(*places):
        assert not any(mode & 0o077 for mode in modes())
        assert os.access(places[0], os.W_OK)
        raise ZeroDivisionError
    assert modes() == before


def test_late_times_are_gradescopes_and_not_the_clocks(tmp_path: Path) -> None:
    late = {**METADATA, "created_at": (datetime(2026, 10, 1, 19, tzinfo=timezone.utc) - timedelta(1)).isoformat()}
    assert read(tmp_path, json.dumps(late)).is_late is False
