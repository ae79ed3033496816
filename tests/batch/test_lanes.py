"""Lanes: each file is graded once, whoever dies on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.batch import lanes
from grader.batch.folder import Folder
from grader.batch.lane import Orders
from grader.batch.lanes import Event
from grader.batch.mapping import Intake, content_of
from grader.batch.work import Item, chosen, claimed, items
from grader.errors import UsageError
from grader.exercise import Exercise, load_all
from grader.status import Status
from tests.batch.classes import CONTENT, GOLDEN, intake

CLASS = {"ada": "correct", "bob": "raises", "cyd": "correct", "dan": "returns_nan", "eve": "unfilled_stub", "fay": ""}


@pytest.fixture(scope="module")
def exercises() -> list[Exercise]:
    return [exercise for exercise in load_all(CONTENT) if exercise.name == "double"]


@pytest.fixture
def batch(tmp_path: Path) -> Callable[..., Folder]:
    def made(students: Intake | None = None) -> Folder:
        folder = Folder(tmp_path / "out")
        folder.keep(students or intake(**CLASS))
        return folder

    return made


def orders(folder: Folder, **given: Any) -> Orders:
    return Orders(
        root=str(CONTENT),
        out=str(folder.path),
        exercises=("double",),
        device="cpu",
        device_index=0,
        without_sandbox=True,
        **given,
    )


def run(folder: Folder, exercises: list[Exercise], number: int = 1, **given: Any) -> list[Event]:
    events: list[Event] = []
    lanes.run(folder, exercises, [orders(folder, **given)] * number, events.append)
    return events


def statuses(folder: Folder) -> list[str]:
    return sorted(result.report.status.value for result in folder.results())


EXPECTED = ["incorrect", "not_attempted", "passed", "runtime_error"]


def test_each_file_is_graded_once_and_never_again(batch: Callable[..., Folder], exercises: list[Exercise]) -> None:
    folder = batch()
    events = run(folder, exercises, number=2)
    assert sorted(e.status for e in events if e.what == "done") == EXPECTED
    assert statuses(folder) == EXPECTED
    assert [e.what for e in run(folder, exercises)] == ["known"] * 4 + ["gone"]
    only = run(folder, exercises, only="a*", again=True)
    assert [(e.item.entry, e.status) for e in only if e.what == "done" and e.item] == [("ada", "passed")]


def test_two_folders_of_one_class_differ_in_times_and_seeds_only(
    batch: Callable[..., Folder], exercises: list[Exercise], tmp_path: Path
) -> None:
    first = batch()
    run(first, exercises)
    second = Folder(tmp_path / "second")
    second.keep(intake(**CLASS))
    run(second, exercises)
    assert [shown(r) for r in first.results()] == [shown(r) for r in second.results()]


def shown(result: Any) -> Any:
    data = result.report.model_dump()
    for case in data["cases"]:
        for setting in case["settings"]:
            setting["seconds"] = 0
    return result.content, data["status"], data["points"], [c["status"] for c in data["cases"]]


def test_without_a_sandbox_it_refuses(batch: Callable[..., Folder], exercises: list[Exercise]) -> None:
    folder = batch()
    with pytest.raises(UsageError, match=r"no sandbox can be made here.*--no-sandbox"):
        lanes.run(
            folder,
            exercises,
            [Orders(str(CONTENT), str(folder.path), ("double",), "cpu", 0)],
            lambda event: None,
        )
    assert list(folder.results()) == []


def test_a_lane_that_is_killed_is_started_again(batch: Callable[..., Folder], exercises: list[Exercise]) -> None:
    folder = batch()
    killed: list[Event] = []

    def tell(event: Event) -> None:
        if event.what == "started" and not killed:
            killed.append(event)
            for pid in lanes_of(folder):
                os.kill(pid, signal.SIGKILL)

    lanes.run(folder, exercises, [orders(folder)], tell)
    assert killed
    assert statuses(folder) == EXPECTED


def test_a_file_that_brings_every_lane_down_is_flagged_and_the_rest_graded(
    batch: Callable[..., Folder], exercises: list[Exercise]
) -> None:
    folder = batch()
    victim = content_of((GOLDEN / "raises/double.py").read_bytes())

    def tell(event: Event) -> None:
        if event.what == "started" and event.item is not None and event.item.content == victim:
            for pid in lanes_of(folder):
                os.kill(pid, signal.SIGKILL)

    lanes.run(folder, exercises, [orders(folder)], tell)
    assert statuses(folder) == ["grader_error", "incorrect", "not_attempted", "passed"]
    ours = next(result for result in folder.results() if result.is_ours)
    assert (ours.content, ours.attempts, ours.report.points) == (victim, 3, 0)
    assert "ended 3 times with this file" in ours.report.cases[0].message
    run(folder, exercises)  # again, undisturbed
    assert statuses(folder) == EXPECTED


def test_a_lane_that_hangs_is_ended(
    batch: Callable[..., Folder], exercises: list[Exercise], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = batch(intake(ada="correct", bob="raises"))
    stopped: list[int] = []

    def tell(event: Event) -> None:
        if event.what == "started" and not stopped:
            stopped.extend(lanes_of(folder))
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            monkeypatch.setattr(lanes, "_SLACK", 0.0)
        elif event.what == "gone":
            monkeypatch.setattr(lanes, "_SLACK", 3.0)

    lanes.run(folder, exercises, [orders(folder)], tell)
    assert statuses(folder) == ["passed", "runtime_error"]


def test_the_grader_may_be_killed_at_any_moment(
    batch: Callable[..., Folder], exercises: list[Exercise], tmp_path: Path
) -> None:
    """SIGKILL, five times; then to the end: nothing is lost, nothing is there twice, and no lane is left behind."""
    folder = batch()
    code = (
        "import sys\nfrom pathlib import Path\nfrom grader.batch import lanes\nfrom grader.batch.folder import Folder\n"
        "from grader.batch.lane import Orders\nfrom grader.exercise import load_all\n"
        "exercises = [e for e in load_all(Path(sys.argv[1])) if e.name == 'double']\n"
        "lanes.run(Folder(Path(sys.argv[2])), exercises, [Orders.read(sys.argv[3])] * 2, lambda event: None)\n"
    )
    words = [sys.executable, "-c", code, str(CONTENT), str(folder.path), orders(folder).words()[-1]]
    for moment in (0.3, 3.0, 4.0, 4.5, 5.0):
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        process.kill()
        process.wait()
        until = time.monotonic() + 30
        while lanes_of(folder) and time.monotonic() < until:
            time.sleep(0.1)
        assert lanes_of(folder) == []
        before = {file: file.read_bytes() for file in (folder.path / "results").glob("*/*.json")}
        for file, data in before.items():
            assert file.read_bytes() == data
    run(folder, exercises)
    assert statuses(folder) == EXPECTED
    assert [p for p in folder.path.rglob(".*.json.*") if p.is_file() and p.suffix == ".json"] == []


def lanes_of(folder: Folder) -> list[int]:
    """The processes that work on this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"grader.batch.lane" in words and any(str(folder.path).encode() in word for word in words):
            found.append(int(path.name))
    return found


def test_what_there_is_to_do() -> None:
    mapping = intake(**CLASS).mapping
    found = items(mapping.entries, ["double"])
    assert [item.entry for item in found] == ["ada", "bob", "dan", "eve"]  # cyd has ada's bytes, fay nothing
    assert items(mapping.entries, ["triple"]) == []
    assert [entry.id for entry in chosen(mapping, "[ab]*")] == ["ada", "bob"]
    assert chosen(mapping, "nobody") == []


def test_a_claim_is_held_by_one(tmp_path: Path) -> None:
    folder, item = Folder(tmp_path), Item("double", "c" * 32, "ada")
    with claimed(folder, item, "k") as mine, claimed(folder, item, "k") as theirs:
        assert (mine, theirs) == (True, False)
    with claimed(folder, item, "k") as mine:
        assert mine


def test_orders_travel() -> None:
    given = Orders("r", "o", ("a", "b"), "cpu", 0, "x*", True, (1, 2), True, (("a", "c"),))
    assert Orders.read(given.words()[-1]) == given
    assert Status.PASSED.value == "passed"
