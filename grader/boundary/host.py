"""One submission and the workers that run it: opens sessions, builds a `.cu` file once, counts deaths.

On the CPU every setting of a test gets a fresh process. On a GPU one process, with the file loaded once, serves all
settings until it breaks.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from grader.boundary.memory import Segment
from grader.boundary.replies import MAX_LIBRARY_BYTES, invalid, raised, unbuilt
from grader.exercise import Exercise
from grader.records import Failure, Finding
from grader.status import Status
from shared import machine
from shared.cuda.rewrite import RewriteError, UnreadableError, rewrite, unsupported

MAX_DEATHS = 2
"""Hangs, or deaths of one kind, after which the remaining settings of an exercise are not run."""

DEATHS = (Status.TIMEOUT, Status.CRASHED, Status.MEMORY_ERROR)


class Session(Protocol):
    """A conversation with a worker, as `grader.boundary.session.Session` has it."""

    alive: bool

    def ask(
        self,
        request: dict[str, Any],
        descriptors: Sequence[int] = (),
        *,
        seconds: float,
        callback: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        lent_bytes: int = 0,
    ) -> dict[str, Any]:
        """Send a request; its reply, or Failure."""

    def take_output(self) -> str:
        """What was printed since the last time."""

    def discard(self) -> None:
        """End the worker."""


class Sandboxes(Protocol):
    """Where one submission's sessions come from; nothing in them is shared with another submission."""

    def open(self, exercise: Exercise, device: str) -> Session:
        """A fresh session."""

    def runtime(self) -> str:
        """Where a session finds the grader's own compiled parts, which it cannot change."""

    def close(self) -> None:
        """End them all."""


class Opener(Protocol):
    """Where sandboxes come from: `grader.boundary.workers.Workers`, or this process when debugging."""

    device_index: int

    def sandboxes(self) -> Sandboxes:
        """Those of a new submission."""


class Host:
    """Runs one submission of one exercise."""

    def __init__(self, exercise: Exercise, text: str, device: str, workers: Opener) -> None:
        """`text` is the student's file; `device` is `cpu` or `cuda`."""
        self.exercise = exercise
        self.target = device  # of the run
        self.device = "cpu" if exercise.device == "cpu" else device
        self.text = text
        self._source = text.encode()
        self._device_index = workers.device_index
        self._sandboxes = workers.sandboxes()
        self._end_s = math.inf  # of the submission's time, which begins when its first worker is ready
        self._deaths: Counter[Status] = Counter()
        self._has_loaded = False
        self._refusal: Finding | None = None  # known after one try: does not compile, no such function
        self._library: bytes | None = None  # a copy of the grader's own: no worker writes where another reads
        self._standing: Session | None = None
        self.last_output = ""  # what a file printed that failed while it was loaded

    def blocked(self) -> Finding | None:
        """Why the remaining settings need not run, if so."""
        if self._refusal is not None:
            return self._refusal
        if time.monotonic() > self._end_s:
            return Finding(Status.NOT_RUN, f"not run: the exercise's {self.exercise.limits.wall_s:g} s are used up")
        for status, count in self._deaths.items():
            if count >= MAX_DEATHS:
                return Finding(Status.NOT_RUN, f"not run: {count} settings before it ended with {status.value}")
        return None

    def count(self, finding: Finding) -> None:
        """Remember a hang or a death of a worker; a fault that is found in milliseconds is none."""
        if finding.status in DEATHS:
            self._deaths[finding.status] += 1

    def open(self, device: str, replacements: list[dict[str, Any]], callback: Any) -> Session:
        """A session with the file loaded; raises Failure when it cannot be."""
        if self._refusal is not None:
            raise Failure(self._refusal)
        if self._standing is not None and self._standing.alive and not replacements:
            return self._standing
        if self._standing is not None and not self._standing.alive:
            self._standing.discard()
            self._standing = None
        if self.exercise.is_cuda and self._library is None:
            self._build(device)
        session = self._start(self.exercise, device)
        try:
            self._load(session, replacements, callback)
        except BaseException as error:
            if isinstance(error, Failure) and not session.alive:
                self.count(error.finding)
            self.last_output = session.take_output()
            session.discard()
            raise
        if device == "cuda":
            self._standing = session
        return session

    def done(self, session: Session) -> None:
        """Give a session back after a setting; a GPU's stands ready for the next one."""
        if session is self._standing:
            if session.alive:
                return
            self._standing = None
        session.discard()

    def close(self) -> None:
        """End the standing session, and every sandbox of this submission."""
        if self._standing is not None:
            self._standing.discard()
            self._standing = None
        self._sandboxes.close()

    def _start(self, exercise: Exercise, device: str) -> Session:
        session = self._sandboxes.open(exercise, device)
        self._end_s = min(self._end_s, time.monotonic() + exercise.limits.wall_s)
        return session

    def _build(self, device: str) -> None:
        exercise = self.exercise
        runtime = self._sandboxes.runtime() if device == "cpu" else ""
        session = self._start(while_compiling(exercise), "cpu")  # a compiler needs no GPU
        request = {
            "op": "build",
            "file": exercise.file,
            "prototypes": [entry.declaration for entry in exercise.entries],
            "cache": runtime,
            "architecture": machine.cuda_architecture(self._device_index) if device == "cuda" else None,
            "timeout_s": exercise.limits.build_s,
        }
        try:
            with Segment.of(self._source) as source, Segment(MAX_LIBRARY_BYTES) as built:
                seconds = exercise.limits.build_s + 5.0
                reply = session.ask(request, [source.descriptor, built.descriptor], seconds=seconds)
                if reply["op"] == "built":
                    self._library = bytes(built.view[: reply["num_bytes"]])
        except Failure as error:
            self.count(error.finding)  # a compiler that hangs will hang again
            raise
        finally:
            session.discard()
        if self._library is None:
            self._refuse(reply)

    def _load(self, session: Session, replacements: list[dict[str, Any]], callback: Any) -> None:
        exercise = self.exercise
        request = {
            "op": "load",
            "file": exercise.file,
            "prototypes": [entry.declaration for entry in exercise.entries],
            "entries": [[e.name, list(e.parameters), e.declaration] for e in exercise.entries],
            "replacements": replacements,
        }
        with contextlib.ExitStack() as lent:
            contents = [self._source] if self._library is None else [self._source, self._library]
            descriptors = [lent.enter_context(Segment.of(content)).descriptor for content in contents]
            reply = session.ask(request, descriptors, seconds=exercise.limits.load_s, callback=callback)
        if reply["op"] != "loaded":
            self._refuse(reply)
        self._has_loaded = True

    def _refuse(self, reply: dict[str, Any]) -> None:
        """Raise the failure of a reply to `build` or `load`; remember what cannot change."""
        if reply["op"] == "raised":
            raise self.raised(reply)
        if self._has_loaded:  # its words could be those of an input that it has seen in between
            raise Failure(Finding(Status.CRASHED, "the file can no longer be loaded, which it could be before"))
        if reply["op"] == "invalid":
            self._refusal = invalid(reply)
        else:
            self._refusal = unbuilt(reply, self.exercise.file, self._is_emulated())
        raise Failure(self._refusal)

    def raised(self, reply: dict[str, Any]) -> Failure:
        """What a reply `raised` means, told with the lines of this submission."""
        return raised(reply, self.exercise.file, self.text)

    def _is_emulated(self) -> bool:
        """Whether the CPU can stand in for what a `.cu` file uses; the worker is not asked."""
        if not self.exercise.is_cuda:
            return True
        try:
            rewrite(self.text, self.exercise.file)
        except UnreadableError:
            return False
        except RewriteError:
            return True
        return not unsupported(self.text)


def while_compiling(exercise: Exercise) -> Exercise:
    """The exercise while its file is compiled: a compiler needs more memory than what it makes."""
    limits = exercise.limits.model_copy(update={"memory_mb": exercise.limits.build_memory_mb})
    return exercise.model_copy(update={"limits": limits})


def cache_folder() -> Path:
    """Where compiled parts of the grader itself are kept between runs."""
    chosen = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernel-grader"
    with contextlib.suppress(OSError):
        chosen.mkdir(parents=True, exist_ok=True)
    if os.access(chosen, os.W_OK):
        return chosen
    return Path(tempfile.gettempdir()) / f"kernel-grader-cache-{os.getuid()}"
