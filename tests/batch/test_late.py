"""The late policy: what a day costs, and what a wrong file is told."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.batch.late import Policy, lateness, load_policy
from grader.errors import UsageError

DEADLINE = datetime(2026, 10, 1, 21, 59, tzinfo=timezone.utc)
TEXT = """\
deadline: 2026-10-01 23:59
time_zone: Europe/Berlin
grace_minutes: 15
per_day: 0.1
cap: 0.25
max_days: 5
extensions: {4711: 2, ada: 2026-10-08 12:00, eve: "2026-09-01T00:00:00+00:00"}
"""


def policy(folder: Path, text: str = TEXT) -> Policy:
    file = folder / "late.yaml"
    file.write_text(text, encoding="utf-8")
    return load_policy(file)


@pytest.mark.parametrize(
    ("after", "days", "factor"),
    [
        (timedelta(days=-9), 0, 1.0),
        (timedelta(0), 0, 1.0),
        (timedelta(minutes=15), 0, 1.0),
        (timedelta(minutes=15, seconds=1), 1, 0.9),
        (timedelta(days=1, minutes=15), 1, 0.9),
        (timedelta(days=1, minutes=16), 2, 0.8),
        (timedelta(days=3), 3, 0.75),  # the cap
        (timedelta(days=5), 5, 0.75),
        (timedelta(days=6), 6, 0.0),
    ],
)
def test_days_and_what_they_leave(tmp_path: Path, after: timedelta, days: int, factor: float) -> None:
    assert lateness(DEADLINE + after, None, policy(tmp_path)) == (days, factor)


def test_without_a_policy_nothing_is_late() -> None:
    assert lateness(DEADLINE, True, None) == (0, 1.0)


@pytest.mark.parametrize(("mark", "expected"), [(None, (0, 1.0)), (False, (0, 1.0)), (True, (1, 0.9))])
def test_without_a_time_the_mark_of_the_lms_is_one_day(
    tmp_path: Path, mark: bool | None, expected: tuple[int, float]
) -> None:
    assert lateness(None, mark, policy(tmp_path)) == expected


def test_the_time_decides_and_not_the_mark(tmp_path: Path) -> None:
    assert lateness(DEADLINE, True, policy(tmp_path)) == (0, 1.0)


def test_extensions_are_a_persons_own(tmp_path: Path) -> None:
    found = policy(tmp_path)
    late = DEADLINE + timedelta(days=2)
    assert lateness(late, None, found.for_person("nobody"))[0] == 2
    assert lateness(late, None, found.for_person("4711"))[0] == 0  # a number as key, days as value
    assert lateness(late, None, found.for_person("ada"))[0] == 0
    assert found.for_person("eve").deadline == DEADLINE  # an earlier time does not shorten it


def test_a_day_is_a_day_of_the_wall_clock_when_summer_time_ends(tmp_path: Path) -> None:
    found = policy(tmp_path, "deadline: 2026-10-24 23:59\ntime_zone: Europe/Berlin\nper_day: 0.1\n")
    next_evening = datetime(2026, 10, 25, 22, 59, tzinfo=timezone.utc)  # 25 hours later
    assert lateness(next_evening, None, found) == (1, 0.9)
    assert lateness(next_evening + timedelta(minutes=1), None, found) == (2, 0.8)


def test_later_is_never_cheaper(tmp_path: Path) -> None:
    found = policy(tmp_path)
    factors = [lateness(DEADLINE + timedelta(hours=h), None, found)[1] for h in range(-5, 200)]
    assert factors == sorted(factors, reverse=True)


@pytest.mark.parametrize("text", ["2026-10-01T21:59:00Z", "2026-10-01 23:59:00+02:00", '"2026-10-01T23:59+02:00"'])
def test_a_deadline_with_a_zone_of_its_own(tmp_path: Path, text: str) -> None:
    assert policy(tmp_path, f"deadline: {text}\n").deadline == DEADLINE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("deadline: 2026-10-01 23:59\n", "deadline: 2026-10-01 23:59 has no time zone"),
        ("deadline: 2026-10-01\ntime_zone: UTC\n", "deadline: expected a time with hours and minutes"),
        ("deadline: '2026-10-01'\ntime_zone: UTC\n", "deadline: expected a time with hours and minutes"),
        ("deadline: tomorrow\ntime_zone: UTC\n", "deadline: expected a time such as"),
        ("deadline: 2026-10-01 23:59\ntime_zone: Europa/Berlin\n", "time_zone: no time zone is called"),
        ("deadline: 2026-10-01 23:59\ntime_zone: ../../etc/passwd\n", "time_zone: no time zone is called"),
        ("per_day: 0.1\n", "deadline: this field is missing"),
        (TEXT + "per_hour: 1\n", "per_hour: unknown field; known here: deadline"),
        (TEXT.replace("per_day: 0.1", "per_day: 10"), "per_day: Input should be less than or equal to 1, found 10"),
        (TEXT.replace("per_day: 0.1", "per_day: 10%"), "per_day: expected a number, found '10%'"),
        (TEXT.replace("per_day: 0.1", "per_day: .nan"), "per_day"),
        (TEXT.replace("max_days: 5", "max_days: -1"), "max_days: Input should be greater than or equal to 0"),
        (TEXT.replace("grace_minutes: 15", "grace_minutes: -15"), "grace_minutes"),
        (TEXT.replace("4711: 2", "4711: soon"), "extensions.4711: expected a time such as"),
        (TEXT.replace("4711: 2", "4711: -2"), "extensions.4711: expected 0 to 366 days"),
        (TEXT.replace("4711: 2", "4711:"), "extensions.4711: expected a number of days or a time"),
        ("- a\n", "expected fields"),
        ("", "expected fields"),
        ("a: [\n", "not readable as yaml"),
    ],
)
def test_a_wrong_file_is_told_with_its_field(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        policy(tmp_path, text)
    assert words in str(caught.value)
    assert str(tmp_path / "late.yaml") in str(caught.value)


def test_a_missing_file_is_bad_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_policy(tmp_path / "none.yaml")
