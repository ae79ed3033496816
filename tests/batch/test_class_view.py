"""The class at a glance: everybody is there, counts add up, nothing that a student wrote becomes markup."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest

from grader.batch.bind import bind
from grader.batch.book import Book, Override
from grader.batch.class_counts import Reports, count
from grader.batch.class_view import MAX_CLUSTERS, bars, cut, page, pieces
from grader.batch.late import Policy
from grader.batch.result import Result
from grader.records import PASSED, Finding, Setting
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
    results,
    setting,
)

HOSTILE = "</td><script>alert(1)</script>\"'&{{ 7*7 }}\x1b[31m\u202e\r\n<img src=x onerror=alert(2)>"
VOID = {"meta", "wbr"}


class Page(HTMLParser):
    """What a browser would see: elements, and the text of each table's rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def everybody(text: str) -> list[list[str]]:
    """The cells of each row of the last table."""
    table = text[text.index('class="everybody"') :]
    body = table[table.index("<tbody>") : table.index("</tbody>")]
    return [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)]


def pair(*found: Result) -> Reports:
    return {(one.exercise, one.name): one.report for one in found}


def test_everybody_is_there_once() -> None:
    entries = [entry("1", "ada", "bob"), entry("2", "cyd", files=[file(data=b"c")]), entry("3", "dan", files=[])]
    found = [result(), result(data=b"c", made=full_report())]
    book = bind(mapping(*entries), [exercise(), exercise("scaling")], results(*found))
    text = page(book, pair(*found), "autumn")
    assert everybody(text) == [
        ["ada", "Ada", "1", "4", "–", "4", "0", "4"],
        ["bob", "Bob", "1", "4", "–", "4", "0", "4"],
        ["cyd", "Cyd", "2", "10", "–", "10", "0", "10"],
        ["dan", "Dan", "3", "–", "–", "0", "0", "0"],
    ]
    said = " ".join(" ".join(Page(text).text).split())
    assert "For course staff only" in said
    assert "4 people, 3 submissions" in said
    assert "1 passed, 2 incorrect, 1 no file" in said
    assert "Nothing: every grade is decided." in said


def test_nothing_open_is_counted_and_all_of_it_comes_first() -> None:
    entries = [entry(n, f"p{n}", files=[file(data=n.encode())]) for n in "12345"]
    suspect = report(settings=[setting("a", 4), setting("b", 6, Finding(Status.SUSPECT, "too fast"))])
    found = [result(data=b"1"), result(data=b"2", made=failed()), result(data=b"3", made=suspect), result(data=b"5")]
    by_hand = Override(entry="5", exercise="adding", points=7.5, reason=HOSTILE)
    text = page(bind(mapping(*entries), [exercise()], results(*found), [by_hand]), pair(*found))
    cells = {row[0]: row[3:] for row in everybody(text)}
    assert cells == {
        "p1": ["4", "4", "0", "4"],
        "p2": ["?", "0", "0", "0 ?"],
        "p3": ["4", "4", "0", "4 ?"],
        "p4": ["?", "0", "0", "0 ?"],
        "p5": ["7.5*", "7.5", "0", "7.5"],
    }
    said = " ".join(Page(text).text)
    for words in ("the grader failed", "suspect: a time", "not graded yet"):
        assert said.index(words) < said.index("Problems", said.index("Everybody") + 1)
    assert "2 incorrect, 3 open" in " ".join(said.split())
    assert "(the grader)" not in said


def test_counts_add_up() -> None:
    book, reports = crowd(40, 3)
    for found in count(book, reports):
        assert sum(number for _, number in found.counts) == 40
        verdicts = sum(number for name, number in found.counts if name not in ("open", "no file"))
        assert all(case.total == verdicts for case in found.cases)
        assert len(found.points) == 40 - dict(found.counts).get("open", 0)
        failing = sum(
            number
            for case in found.cases
            for name, number in case.counts
            if name not in ("passed", "not_measured", "not_run")
        )
        assert sum(len(cluster.who) for cluster in found.clusters) == failing


def test_nothing_of_a_student_becomes_markup() -> None:
    people = entry("1", HOSTILE, files=[file()], problems=(HOSTILE,), submitted_at=NOON + timedelta(days=1))
    wrong = Finding(Status.INCORRECT, HOSTILE, HOSTILE, HOSTILE, (HOSTILE,))
    found = result(made=report(settings=[setting(HOSTILE, 4, wrong, output=HOSTILE)]))
    table = mapping(people, entry("2", "p2")).model_copy(update={"problems": (HOSTILE,)})
    policy = Policy(deadline=NOON, per_day=0.1)
    decided = [Override(entry="2", exercise="adding", points=3, reason=HOSTILE)]
    odd = exercise().model_copy(update={"title": HOSTILE})
    text = page(bind(table, [odd], results(found), decided, policy), pair(found), HOSTILE)
    seen = Page(text)
    plain = Page(page(bind(mapping(), [], {}), {}))
    assert {tag for tag, _ in seen.elements} <= {tag for tag, _ in plain.elements} | {
        *("svg", "rect", "table", "thead", "tbody", "tr", "th", "td", "caption", "button", "section", "h3"),
        *("ul", "li", "details", "summary", "pre", "div", "span", "h2"),
    }
    assert sum(tag == "script" for tag, _ in seen.elements) == 1
    assert not [name for _, attributes in seen.elements for name in attributes if name.startswith("on")]
    assert "49" not in " ".join(seen.text).replace("{{ 7*7 }}", "")
    assert not set("\x1b\u202e\r") & set(text)
    assert text.count("&lt;script&gt;alert(1)") >= 9  # heading, title, person, problems, name, case, message, prints, …


def test_the_page_asks_for_nothing_from_outside() -> None:
    book, reports = crowd(5, 2)
    text = page(book, reports)
    assert not re.search(r"(?:src|href)=\"(?!#)|url\(|@import|https?:", text)
    assert "default-src 'none'" in text


@pytest.mark.parametrize(
    ("book", "words"),
    [
        (bind(mapping(), [], {}), ["Nobody handed in anything", "Nobody has all their grades yet", "0 people"]),
        (bind(mapping(), [exercise()], {}), ["Nobody handed in anything", "adding"]),
        (
            bind(mapping(entry("1")), [exercise()], {}),
            ["not graded yet", "1 grades open", "Nobody has all their grades"],
        ),
        (bind(mapping(entry("1")), [], {}), ["None: nobody handed in a file of any exercise"]),
    ],
)
def test_a_book_with_little_in_it(book: Book, words: Sequence[str]) -> None:
    said = " ".join(" ".join(Page(page(book, {})).text).split())
    for word in words:
        assert word in said


def test_late_ones_are_named() -> None:
    late = entry("1", "ada", submitted_at=NOON + timedelta(days=2))
    policy = Policy(deadline=NOON, per_day=0.25)
    text = page(bind(mapping(late), [exercise()], results(result()), policy=policy), pair(result()))
    assert "<tr><td>ada</td><td" in text
    assert "50 %" in text


def test_failures_that_nobody_shares_are_counted_not_listed() -> None:
    words = [f"{'x' * (n + 1)} is wrong" for n in range(MAX_CLUSTERS + 5)]
    found = [
        result(data=w.encode(), made=report(settings=[setting("a", 4, Finding(Status.INCORRECT, w))])) for w in words
    ]
    entries = [entry(f"{n:02}", files=[file(data=w.encode())]) for n, w in enumerate(words)]
    text = page(bind(mapping(*entries), [exercise()], results(*found)), pair(*found))
    assert text.count("1×") == MAX_CLUSTERS
    assert "and 5 smaller ones, of 5 people" in text


def test_a_novel_is_cut() -> None:
    assert cut("x" * 700) == "x" * 600 + "… (100 more characters)"
    long = result(made=report(settings=[setting("a", 4, Finding(Status.INCORRECT, "m" * 10**6), output="o" * 10**6)]))
    assert len(page(bind(mapping(entry("1")), [exercise()], results(long)), pair(long))) < 40_000


@pytest.mark.parametrize(
    ("points", "most", "heights"),
    [
        ([0, 0, 1, 2], 2, [100, 100]),
        ([0, 0, 0, 2], 2, [100, 33.33]),
        ([], 2, [0, 0]),
        ([4], 2, [0, 0, 0, 100]),
        ([0], 0, [100]),
        ([1e308], 1, [*[0] * 19, 100]),
    ],
)
def test_bars(points: list[float], most: float, heights: list[float]) -> None:
    found = [bar.width for bar in bars(points, most)]
    assert found == heights


def test_pieces_fill_the_bar() -> None:
    found = pieces((("passed", 1), ("incorrect", 2), ("open", 1)))
    assert [(piece.colour, piece.start, piece.width) for piece in found] == [
        ("good", 0, 25),
        ("bad", 25, 50),
        ("open", 75, 25),
    ]
    assert pieces(()) == []


def crowd(people: int, columns: int, seed: int = 0) -> tuple[Book, Reports]:
    """A made-up class: most right, some wrong in a few ways, some late, some not graded, some without a file."""
    draw = random.Random(seed)
    exercises = [exercise(f"exercise_{n}") for n in range(columns)]
    found, entries = [], []
    for number in range(people):
        files = [file(e.name, f"{number}".encode()) for e in exercises if draw.random() < 0.95]
        late = NOON + timedelta(hours=draw.choice([-5, -1, -1, -1, 30]))
        entries.append(entry(f"submission-{number:04}", f"student{number:04}", files=files, submitted_at=late))
        found += [
            result(one.exercise, f"{number}".encode(), _drawn(one.exercise, draw))
            for one in files
            if draw.random() < 0.97
        ]
    policy = Policy(deadline=NOON, per_day=0.1)
    return bind(mapping(*entries), exercises, results(*found), policy=policy), pair(*found)


def _drawn(name: str, draw: random.Random) -> Any:
    if draw.random() < 0.01:
        return failed(name)
    tests = [
        ("test_small", 2),
        ("test_widths", 2),
        ("test_one_block", 1),
        ("test_hidden_shapes", 3),
        ("test_extremes", 2),
    ]
    return report(name, [_case(test, points, draw) for test, points in tests])


def _case(test: str, points: int, draw: random.Random) -> Setting:
    skill = draw.random()
    if skill < 0.7:
        return setting(test, points, PASSED, hidden="hidden" in test)
    ways = [
        WRONG,
        Finding(Status.INCORRECT, f"wrong at {draw.randrange(4096)}: {draw.random():.4f}, not 0", "", "the last row"),
        Finding(Status.TIMEOUT, "no answer within 10 s"),
        Finding(Status.MEMORY_ERROR, f"reads {draw.randrange(99)} bytes behind x at 0x7f{draw.randrange(16**8):08x}"),
        Finding(Status.NOT_ATTEMPTED, "the stub, unchanged"),
    ]
    return setting(test, points, draw.choice(ways), hidden="hidden" in test, output="my <b>print</b>\n" * 3)


def test_three_hundred_people_stay_fluent() -> None:
    book, reports = crowd(300, 9)
    text = page(book, reports)
    assert len(text.encode()) < 2 * 2**20
    assert len(everybody(text)) == len({row[0] for row in everybody(text)}) == 300
    Page(text)
