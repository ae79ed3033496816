"""The lanes of a batch: started, listened to, and started again when one goes down with what it was grading.

One thread for each lane reads what its process says, and hands it on as events; the caller's thread does the rest.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.batch.folder import Folder
from grader.batch.lane import ATTEMPTS, Orders
from grader.batch.result import Result
from grader.batch.work import Item
from grader.errors import GraderError, UsageError
from grader.exercise import Exercise
from grader.judge import failed_to_judge

_TICK_S = 0.5
_SLACK = 3.0  # times an exercise's `wall_s`: a lane that is at one file for longer hangs, and is ended


@dataclass(frozen=True)
class Event:
    """What a lane says: `started`, `done`, `ours`, `known`, `busy` of a file; `refused`, `failed`, `gone` of itself."""

    lane: int
    what: str
    item: Item | None = None
    status: str = ""  # of the verdict; with `started` the key of the conditions, of a lane itself the reason


class Lane:
    """One process, and the thread that reads what it says."""

    def __init__(self, number: int, orders: Orders, events: queue.Queue[Event], log: Path) -> None:
        """Start it; what it writes to stderr goes to `log`."""
        self.number, self.orders = number, orders
        self.item: Item | None = None  # that it is at
        self.key = ""
        self.since = 0.0
        with log.open("ab") as stream:
            self._process = subprocess.Popen(
                orders.words(),
                cwd=Path(__file__).resolve().parents[2],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stream,
                start_new_session=True,  # Ctrl-C is for the grader, which ends its lanes one by one
            )
        self._thread = threading.Thread(target=self._listen, args=(events,), daemon=True)
        self._thread.start()

    def _listen(self, events: queue.Queue[Event]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout:
            for line in self._process.stdout:
                data = json.loads(line)
                item = Item(**data["item"]) if data["item"] else None
                events.put(Event(self.number, data["what"], item, data["status"]))
        self._process.wait()
        events.put(Event(self.number, "gone", status=str(self._process.returncode)))

    def kill(self) -> None:
        """End it at once; its workers end with it."""
        self._process.kill()

    def end(self) -> None:
        """Let it end its workers."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def wait(self, seconds: float) -> None:
        """Until it is gone, or killed."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._thread.join()


def run(folder: Folder, exercises: Sequence[Exercise], orders: Sequence[Orders], tell: Callable[[Event], None]) -> None:
    """Let one lane for each of the orders do what there is; raises UsageError and GraderError that a lane met."""
    events: queue.Queue[Event] = queue.Queue()
    log = folder.path / "lanes.log"
    lanes = {number: Lane(number, each, events, log) for number, each in enumerate(orders)}
    supervisor = _Supervisor(folder, exercises, lanes, events, log)
    try:
        while lanes:
            with contextlib.suppress(queue.Empty):
                event = events.get(timeout=_TICK_S)
                tell(event)
                supervisor.take(event)
            supervisor.end_what_hangs()
    finally:
        for lane in lanes.values():
            lane.end()
        for lane in lanes.values():
            lane.wait(30.0)


class _Supervisor:
    """Knows what each lane is at, and what has brought lanes down."""

    def __init__(
        self,
        folder: Folder,
        exercises: Sequence[Exercise],
        lanes: dict[int, Lane],
        events: queue.Queue[Event],
        log: Path,
    ) -> None:
        self._folder, self._lanes, self._events, self._log = folder, lanes, events, log
        self._exercises = {exercise.name: exercise for exercise in exercises}
        self._falls: Counter[Item] = Counter()

    def take(self, event: Event) -> None:
        lane = self._lanes[event.lane]
        if event.what == "refused":
            raise UsageError(event.status)
        if event.what == "failed":
            raise GraderError(event.status)
        if event.what == "gone":
            self._gone(lane, event.status)
        elif event.what == "started":
            lane.item, lane.key, lane.since = event.item, event.status, time.monotonic()
        else:
            lane.item = None

    def end_what_hangs(self) -> None:
        now = time.monotonic()
        for lane in self._lanes.values():
            if lane.item is not None:
                limit = _SLACK * self._exercises[lane.item.exercise].limits.wall_s
                if now > lane.since + limit:
                    lane.kill()

    def _gone(self, lane: Lane, code: str) -> None:
        """A lane has ended; one that went down with a file is started again, and at last without that file."""
        del self._lanes[lane.number]
        lane.end()
        lane.wait(0.0)
        if code == "0":
            return
        if lane.item is None:
            raise GraderError(f"a grading process ended with exit code {code}; see {self._log}")
        self._falls[lane.item] += 1
        orders = lane.orders
        if self._falls[lane.item] >= ATTEMPTS:
            self._give_up(lane.item, lane.key, code)
            orders = replace(orders, skip=(*orders.skip, (lane.item.exercise, lane.item.content)))
        self._lanes[lane.number] = Lane(lane.number, orders, self._events, self._log)

    def _give_up(self, item: Item, key: str, code: str) -> None:
        text = f"the grading process itself ended {ATTEMPTS} times with this file (exit code {code})"
        report = failed_to_judge(self._exercises[item.exercise], text)
        self._folder.put(
            Result(exercise=item.exercise, content=item.content, conditions=key, attempts=ATTEMPTS, report=report)
        )
