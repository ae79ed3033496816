"""One of several processes that grade the files of a batch: `python -m grader.batch.lane ORDERS`, started by `lanes`.

It goes through the list of work, claims what nobody else is at, grades it with workers of its own, and stores the
verdict. What it does is told on stdout, a line of JSON for each step. It ends when its stdin does: with the grader
that started it, however that died.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.batch.conditions import conditions_of
from grader.batch.folder import Folder
from grader.batch.result import Result
from grader.batch.work import Item, chosen, claimed, is_done, items
from grader.boundary.sandbox import Level
from grader.boundary.workers import Workers
from grader.errors import GraderError, UsageError
from grader.exercise import Exercise, choose, load_all
from grader.grade import Target, grade_one
from grader.report import ExerciseReport
from grader.submission import Submission, received

ATTEMPTS = 3
"""At a file that the grader fails on: the first, and two more with fresh workers."""
_END_S = 20.0  # for the workers to end, once nobody listens any more


@dataclass(frozen=True)
class Orders:
    """What a lane is told to do."""

    root: str
    out: str
    exercises: tuple[str, ...]
    device: str
    device_index: int
    only: str = ""
    again: bool = False  # also what has a verdict, then only the part of this lane:
    part: tuple[int, int] = (0, 1)  # the lane's number, of so many
    without_sandbox: bool = False  # where none can be made
    skip: tuple[tuple[str, str], ...] = ()  # (exercise, content) that brought a lane down too often

    def words(self) -> list[str]:
        """The command line that starts a lane."""
        return [sys.executable, "-m", "grader.batch.lane", json.dumps(asdict(self))]

    @classmethod
    def read(cls, text: str) -> Orders:
        """The inverse of `words`."""
        data = json.loads(text)
        skip = tuple(map(tuple, data["skip"]))
        return cls(**{**data, "exercises": tuple(data["exercises"]), "part": tuple(data["part"]), "skip": skip})


Say = Callable[[str, Item, str], None]
"""Tells a step, the item, and a status or the key of the conditions."""


def run(orders: Orders, say: Say) -> None:
    """Grade until nothing is left that nobody is at."""
    folder = Folder(Path(orders.out))
    exercises = choose(load_all(Path(orders.root)), orders.exercises)
    work = items(chosen(folder.mapping(), orders.only), [e.name for e in exercises])
    if orders.again:
        work = work[orders.part[0] :: orders.part[1]]
    with _Bench(Target(orders.device, orders.device_index, folder.seed)) as bench:
        if bench.level is Level.NONE and not orders.without_sandbox:
            raise UsageError(NO_SANDBOX)
        keys = {e.name: _conditions(folder, e, bench) for e in exercises}
        for item in (i for i in work if (i.exercise, i.content) not in orders.skip):
            exercise = next(e for e in exercises if e.name == item.exercise)
            _do(folder, exercise, item, keys[item.exercise], bench, orders.again, say)


NO_SANDBOX = (
    "no sandbox can be made here, so a submission could read the others and the book; `python -m grader doctor` "
    "says what mends it; `--no-sandbox` grades all the same, which is for files that you trust"
)


def _conditions(folder: Folder, exercise: Exercise, bench: _Bench) -> str:
    found = conditions_of(exercise, bench.target, bench.level.value)
    folder.note(found)
    return found.key


def _do(folder: Folder, exercise: Exercise, item: Item, key: str, bench: _Bench, again: bool, say: Say) -> None:
    """Grade one file, unless it has a verdict, or somebody is at it."""

    def has_verdict() -> bool:
        return not again and is_done(folder.result(item.exercise, item.content, key))

    if has_verdict():
        say("known", item, "")
        return
    with claimed(folder, item, key) as is_mine:
        if not is_mine or has_verdict():
            say("known" if is_mine else "busy", item, "")
            return
        say("started", item, key)
        result = _verdict(exercise, item, key, folder.file(item.content), bench)
        folder.put(result)
        say("ours" if result.is_ours else "done", item, result.report.status.value)


def _verdict(exercise: Exercise, item: Item, key: str, data: bytes, bench: _Bench) -> Result:
    """One verdict; where the grader fails, it tries again with fresh workers."""
    submission = received(exercise, data)
    for attempt in range(1, ATTEMPTS + 1):
        report = bench.grade(exercise, submission)
        result = Result(exercise=item.exercise, content=item.content, conditions=key, attempts=attempt, report=report)
        if not result.is_ours:
            break
        bench.renew()
    return result


class _Bench:
    """Where a lane grades: its workers, new ones after a failure of ours."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._stack = ExitStack()
        self.renew()

    def __enter__(self) -> _Bench:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def renew(self) -> None:
        self._stack.close()
        self._prepared = ""
        self._workers = self._stack.enter_context(Workers(self.target.device_index))
        self.level = self._workers.level

    def grade(self, exercise: Exercise, submission: Submission) -> ExerciseReport:
        if submission.finding is None:  # a worker for the next file of this exercise starts while this one is graded
            self._workers.prepare(exercise, self.target.device, count=1 if exercise.name == self._prepared else 2)
            self._prepared = exercise.name
        try:
            return grade_one(exercise, submission, self.target, lambda name, case: None, self._workers)
        finally:
            gc.collect()  # tracebacks keep tensors in cycles


def _end_with_the_grader() -> None:
    """When stdin closes nobody wants the rest: end as Ctrl-C does, and at last without asking."""
    while os.read(0, 1):  # not sys.stdin: its lock would be in the way of the end
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_END_S)
    os._exit(130)


def main(arguments: Sequence[str]) -> int:
    """The process; what it says on stdout is for `lanes`, and nothing else gets there."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    threading.Thread(target=_end_with_the_grader, daemon=True).start()

    def say(what: str, item: Item, status: str) -> None:
        print(json.dumps({"what": what, "item": asdict(item), "status": status}), file=told, flush=True)

    try:
        run(Orders.read(arguments[0]), say)
    except KeyboardInterrupt:
        return 130
    except (UsageError, GraderError, OSError) as error:
        what = "refused" if isinstance(error, UsageError) else "failed"
        print(json.dumps({"what": what, "item": None, "status": str(error)}), file=told, flush=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
