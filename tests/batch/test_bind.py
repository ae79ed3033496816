"""The book: what is known is booked, what is not known is flagged and never a zero that looks like one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.batch.late import Policy
from grader.records import Finding
from grader.status import Status
from tests.batch.made_up import (
    NOON,
    entry,
    exercise,
    failed,
    file,
    full_report,
    mapping,
    report,
    result,
    results,
    setting,
)

EXERCISES = [exercise("adding"), exercise("scaling")]
ONE = [exercise("adding")]
POLICY = Policy(deadline=NOON, per_day=0.5, max_days=1, extensions={"p2": NOON + timedelta(days=3)})


def by_hand(points: float = 9.0, number: str = "1", name: str = "adding", content: str | None = None) -> Override:
    return Override(entry=number, exercise=name, points=points, reason="seen in the lab", content=content)


def test_a_verdict_is_booked_and_a_missing_file_is_a_zero() -> None:
    book = bind(mapping(entry("1")), EXERCISES, results(result()))
    adding, scaling = book.rows[0].grades
    assert (adding.status, adding.points, adding.max_points, adding.flagged) == (Status.INCORRECT, 4, 10, "")
    assert (scaling.status, scaling.points, scaling.known, scaling.flagged) == (None, 0, 0.0, "")
    assert (book.rows[0].points, book.rows[0].final, book.rows[0].is_finished) == (4.0, 4.0, True)
    assert adding.result == result().name
    assert book.max_points == 20


@pytest.mark.parametrize(
    ("found", "status", "words"),
    [
        ({}, Status.NOT_RUN, "not graded yet"),
        (results(result(made=failed())), Status.GRADER_ERROR, "the grader failed"),
    ],
)
def test_what_has_no_verdict_is_flagged_and_no_zero(found: dict, status: Status, words: str) -> None:  # type: ignore[type-arg]
    row = bind(mapping(entry("1")), ONE, found).rows[0]
    assert (row.grades[0].status, row.grades[0].known, row.is_finished) == (status, None, False)
    assert words in row.grades[0].flagged


@pytest.mark.parametrize("found", [{}, results(result(made=failed()))])
def test_an_older_verdict_is_shown_and_stays_flagged(found: dict) -> None:  # type: ignore[type-arg]
    older = results(result(key="k0", made=full_report()))
    grade = bind(mapping(entry("1")), ONE, found, older=older).rows[0].grades[0]
    assert (grade.status, grade.known, grade.is_open) == (Status.PASSED, 10.0, True)
    assert grade.flagged.startswith("older: ")
    assert grade.result.endswith("-k0.json")


def test_an_older_fault_of_ours_is_no_verdict() -> None:
    older = results(result(key="k0", made=failed()))
    assert bind(mapping(entry("1")), ONE, {}, older=older).rows[0].grades[0].known is None


def test_a_newer_verdict_wins_over_an_older_one() -> None:
    older = results(result(key="k0", made=full_report()))
    grade = bind(mapping(entry("1")), ONE, results(result()), older=older).rows[0].grades[0]
    assert (grade.points, grade.flagged) == (4, "")


def test_a_suspect_time_waits_for_a_person() -> None:
    suspect = report(settings=[setting("a", 4), setting("b", 6, Finding(Status.SUSPECT, "too fast"))])
    grade = bind(mapping(entry("1")), ONE, results(result(made=suspect))).rows[0].grades[0]
    assert (grade.known, grade.is_open) == (4.0, True)
    assert grade.flagged.startswith("suspect: ")


@pytest.mark.parametrize("found", [{}, results(result(made=failed())), results(result())])
def test_an_override_wins_over_everything(found: dict) -> None:  # type: ignore[type-arg]
    row = bind(mapping(entry("1")), ONE, found, [by_hand()]).rows[0]
    assert (row.points, row.grades[0].known, row.is_finished) == (9.0, 9.0, True)
    assert row.grades[0].override == by_hand()


def test_an_override_for_a_missing_file_counts() -> None:
    book = bind(mapping(entry("1", files=[])), ONE, {}, [by_hand()])
    assert (book.rows[0].final, book.rows[0].grades[0].status) == (9.0, None)


def test_an_override_is_kept_when_the_file_changes_and_that_is_said() -> None:
    old, now = file(data=b"old"), file(data=b"new")
    decided = by_hand(content=old.content)
    assert not bind(mapping(entry("1", files=[old])), ONE, {}, [decided]).rows[0].problems
    row = bind(mapping(entry("1", files=[now])), ONE, {}, [decided]).rows[0]
    assert row.points == 9.0
    assert "has changed since" in row.problems[0]


def test_an_override_of_nobody_is_said() -> None:
    book = bind(mapping(entry("1")), ONE, {}, [by_hand(number="7"), by_hand(name="dividing")])
    assert "no submission 7" in book.problems[0]
    assert "no exercise dividing" in book.problems[1]


def test_a_group_has_a_row_each_from_one_run() -> None:
    book = bind(mapping(entry("1", "zoe", "ada")), ONE, results(result()))
    assert [(row.person.id, row.entry, row.final) for row in book.rows] == [("ada", "1", 4.0), ("zoe", "1", 4.0)]


def test_two_with_the_same_bytes_share_a_verdict() -> None:
    book = bind(mapping(entry("1"), entry("2")), ONE, results(result()))
    assert [row.final for row in book.rows] == [4.0, 4.0]


def test_one_person_in_two_submissions_is_said_in_both() -> None:
    book = bind(mapping(entry("1", "ada"), entry("2", "ada", "bob")), ONE, results(result()))
    assert ["also belongs to" in " ".join(row.problems) for row in book.rows] == [True, True, False]


def test_lateness_is_each_persons_own() -> None:
    late = NOON + timedelta(hours=1)
    book = bind(mapping(entry("1", "p1", "p2", submitted_at=late)), ONE, results(result()), policy=POLICY)
    assert [(row.days_late, row.late_factor, row.points, row.final) for row in book.rows] == [
        (1, 0.5, 4.0, 2.0),
        (0, 1.0, 4.0, 4.0),
    ]


@pytest.mark.parametrize(
    ("person", "at", "mark", "days", "words"),
    [
        ("p1", None, True, 1, "counted as one day"),
        ("p2", None, True, 0, "within this person's extension"),
        ("p1", None, None, 0, "counted as in time"),
        ("p1", None, False, 0, ""),
        ("p1", NOON, True, 0, "in time by the late policy"),
        ("p2", NOON, True, 0, ""),
        ("p1", NOON + timedelta(hours=1), False, 1, "late by the late policy"),
    ],
)
def test_doubts_about_the_time_are_said(person: str, at: object, mark: bool | None, days: int, words: str) -> None:
    book = bind(mapping(entry("1", person, submitted_at=at, is_late=mark)), ONE, results(result()), policy=POLICY)
    assert book.rows[0].days_late == days
    assert words in " ".join(book.rows[0].problems)
    assert bool(book.rows[0].problems) == bool(words)


def test_an_extension_for_nobody_is_said() -> None:
    assert "extensions.p2" in bind(mapping(entry("1")), ONE, {}, policy=POLICY).problems[0]


def test_a_book_can_be_kept() -> None:
    book = bind(mapping(entry("1", "ada", "bob")), EXERCISES, results(result()), [by_hand()], POLICY)
    assert Book.model_validate_json(book.model_dump_json()) == book
