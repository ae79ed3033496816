"""Points by hand: kept whole, checked when written and when read."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.batch.book import Override
from grader.batch.overrides import FILE, checked, load_overrides, removed, replaced, save_overrides
from grader.errors import UsageError
from tests.batch.made_up import entry, exercise, file, mapping

MAPPING = mapping(entry("submission_1", "ada"), entry("submission_2", files=[]))
EXERCISES = [exercise("adding"), exercise("scaling")]


def override(points: float = 9.5, number: str = "submission_1", name: str = "adding", reason: str = "r") -> Override:
    return Override(entry=number, exercise=name, points=points, reason=reason)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert load_overrides(tmp_path) == ()
    both = (override(name="adding", reason="Ünïcode, seen"), override(name="scaling"))
    save_overrides(tmp_path, both[::-1])
    assert load_overrides(tmp_path) == both
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_new_one_takes_the_place_of_the_old_one() -> None:
    first, other, second = override(1), override(2, name="scaling"), override(3)
    assert replaced([first, other], second) == (other, second)


def test_removing_one_keeps_the_others() -> None:
    first, other = override(1), override(2, name="scaling")
    assert removed([first, other], "submission_1", "adding") == (other,)
    with pytest.raises(UsageError, match="there are: submission_1 scaling"):
        removed([other], "submission_1", "adding")


def test_it_remembers_what_it_was_decided_about() -> None:
    assert checked(override(), MAPPING, EXERCISES).content == file().content
    assert checked(override(number="submission_2"), MAPPING, EXERCISES).content == ""


@pytest.mark.parametrize(
    ("wrong", "bonus", "words"),
    [
        (override(-1), False, "--points -1: expected points from 0 to 10"),
        (override(-1), True, "expected points from 0 to 10"),
        (override(10.5), False, "adding has 10 points; add --bonus"),
        (override(100), True, "at most 20"),
        (override(number="submission_3"), False, "submission_1"),
        (override(number="ada"), False, "ada is a person; their submission is submission_1"),
        (override(name="addign"), False, "adding"),
        (override(reason=" "), False, "--reason: expected a reason"),
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: Override, bonus: bool, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked(wrong, MAPPING, EXERCISES, bonus)
    assert words in str(caught.value)


def test_a_bonus_is_a_word_away() -> None:
    assert checked(override(12), MAPPING, EXERCISES, bonus=True).points == 12


ONE = '{"entry": "1", "exercise": "adding", "points": 3, "reason": "r"}'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file: Invalid JSON"),
        ('{"overrides": [' + ONE.replace("3", "-3") + "]}", "overrides.0.points: expected points from 0"),
        ('{"overrides": [' + ONE.replace("3", "NaN") + "]}", "overrides.0.points"),
        ('{"overrides": [' + ONE.replace('"r"', '""') + "]}", "overrides.0.reason"),
        ('{"overrides": [' + ONE.replace("points", "point") + "]}", "overrides.0.points: Field required"),
        ('{"overrides": [' + ONE + "," + ONE + "]}", "overrides.1: 1, adding stands here twice"),
        ('{"schema_version": 2}', "made by another version"),
    ],
)
def test_a_file_edited_by_hand_is_checked(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UsageError) as caught:
        load_overrides(tmp_path)
    assert words in str(caught.value)
    assert str(tmp_path / FILE) in str(caught.value)
