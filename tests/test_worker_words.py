"""What a worker says is shown only as far as it cannot spell what it has seen, and never makes the grader fail."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import pytest

from grader.boundary.faults import is_plain
from grader.boundary.replies import MAX_DIAGNOSTICS, MAX_FRAMES, MAX_TEXT, launch_problem, raised, unbuilt
from grader.boundary.results import checked_claim
from grader.boundary.session import Session
from grader.exercise import Limits
from grader.records import Failure, Visibility
from grader.status import Status
from grader.worker import wire

FILE = "twice.cu"
SOURCE = "__global__ void twice_kernel(const float* x, float* out) { assert(x[0] > 0); __syncwarp(); __trap(); }"
THREAD = "twice_kernel: thread (0,0,31) of block (2,0,0) "


@pytest.mark.parametrize(
    "text",
    [
        THREAD + "writes 4 bytes past the end of the buffer `out`, which has 280 bytes",
        THREAD + "reads through a null pointer",
        THREAD + "writes byte 16 of memory from malloc or new, which has 16 bytes",
        THREAD + "frees what malloc or new did not give in a kernel, or frees it twice",
        THREAD + "reads where no device memory is: a wild index, or a host pointer",
        f"twice_kernel, {FILE}:1: thread (1,0,0) of block (0,0,0) writes out[70]: `out` has 70 elements",
        f"twice_kernel, {FILE}:1: thread (1,0,0) of block (0,0,0) reads x[1][-3]: the shared array has 12 elements",
        THREAD + "reads out[3], which nobody has written",
        THREAD + "writes x[0][1], which thread (0,1,0) reads in line 12 with no barrier between them",
        THREAD
        + "updates out[1], which thread (0,0,0) of block (1,0,0) writes in the same launch, and nothing puts them "
        "in order",
        THREAD + "waits at __syncthreads() in line 3 while thread (0,0,0) waits at the one in line 9: all threads of a "
        "block must come to the same one",
        THREAD + "has accessed memory 33554432 times and goes on: a loop that does not end",
        THREAD + "uses the index 17 in an array of the type 'float [16][17]'",
        THREAD + "computes 65536 * 65536, which does not fit into 'int': compute it in int64_t or size_t",
        THREAD + "divides an integer by zero (7 / 0)",
        THREAD + "accesses the buffer `cudaMalloc #2` after it was freed",
        f"twice_kernel, {FILE}:23: thread (1,0,0) of block (0,0,0) "
        "reads 16 bytes of `x` at an address that is no multiple of 16",
        THREAD + f"fails the assertion `x[0] > 0` at {FILE}:1",
        THREAD + "waits in __syncwarp with the mask 0x0000ffff, but not all lanes of this mask get there"
        "; waiting at __syncthreads(): lanes 1,2; ended: lanes 5",
        "the launch of twice_kernel has more than 1024 threads in a block: its block is (2048,1,1)",
        "the launch of a kernel has a grid of no blocks: its grid is (0,1,1)",
        "cudaMemcpy of 8 bytes from byte -4 on leaves the buffer `x`, which has 280 bytes",
        "writes past the end of `out` (232 bytes behind it were changed)",
        "writes outside of x, out: memory beside it was changed",
        "CUDA error: an illegal memory access was encountered",
    ],
)
def test_the_runtimes_own_words_are_shown(text: str) -> None:
    assert is_plain(text, FILE, SOURCE)
    fault = {"kind": "memory", "text": text}
    finding = launch_problem("twice", 0, fault, "", FILE, SOURCE)
    assert finding is not None
    assert finding.diagnosis == text


@pytest.mark.parametrize(
    "text",
    [
        "secret",
        THREAD + "writes 4 bytes past the end of the buffer `secret`, which has 280 bytes",
        THREAD + "writes 4 bytes past the end of the buffer `out`, which has 280 bytes secret",
        THREAD.replace("twice_kernel", "secret") + "divides an integer by zero",
        THREAD + f"fails the assertion `secret` at {FILE}:1",
        THREAD + "executes __trap() at secret.cu:1",
        THREAD + "reads secret[3], which nobody has written",
        THREAD + "uses the index 17 in an array of the type 'float [16][17] secret'",
        "CUDA error: secret",
        "writes outside of x, secret: memory beside it was changed",
        "x" * 100_000,
    ],
)
def test_other_words_are_not_shown_for_hidden_cases(text: str) -> None:
    assert not is_plain(text, FILE, SOURCE)
    finding = launch_problem("twice", 0, {"kind": "memory", "text": text}, "", FILE, SOURCE)
    assert finding is not None
    assert finding.status is Status.MEMORY_ERROR
    assert finding.details == text[:MAX_TEXT], "the author of a visible case sees them"
    assert "secret" not in str(finding.seen_as(Visibility.PATTERN))


@pytest.mark.parametrize("code", ["secret", 1.5, None, True, [1], {"tensor": 1}])
def test_an_error_code_is_a_number(code: Any) -> None:
    finding = launch_problem("twice", code, None, str(code), FILE, SOURCE)
    assert finding is not None
    assert finding.status is Status.CRASHED
    assert "secret" not in str(finding)


def test_lines_of_a_traceback_are_those_of_the_file() -> None:
    frames = [[83 * 10**30, "f", ""], [2, "f", ""], [-1, "f", ""]]
    reply = {"type": "ValueError", "message": "", "frames": frames, "not_implemented": False}
    lines = raised(reply, "f.py", "def f(x):\n    g(x)\n").finding.lines
    assert lines == ("f.py:? in f: ", "f.py:2 in f: g(x)", "f.py:? in f: ")
    many = raised({**reply, "frames": frames * 1000}, "f.py", "").finding.lines
    assert len(many) == MAX_FRAMES


def test_texts_are_as_long_as_an_honest_workers() -> None:
    reply = {"type": "T" * 10**6, "message": "m" * 10**6, "frames": [], "not_implemented": False}
    assert len(str(raised(reply, "f.py", "").finding)) < 3 * MAX_TEXT
    refused = unbuilt({"diagnostics": [[1, "error", "x" * 10**5]] * 1000, "text": ""}, FILE, emulated=True)
    assert len(refused.lines) == MAX_DIAGNOSTICS
    assert max(map(len, refused.lines)) == MAX_TEXT


@pytest.mark.parametrize("shape", [[0, 2**39, 2**39], [2**39, 0, 2**39, 2**39], [1] * 65, [0] * 1000])
def test_a_shape_that_no_memory_has_is_the_submissions_fault(shape: list[int]) -> None:
    claim = {"index": 0, "dtype": "float32", "shape": shape, "device": "cpu"}
    with pytest.raises(Failure) as caught:
        checked_claim(claim)
    assert caught.value.finding.status is Status.INCORRECT


def test_questions_without_end_do_not_outlast_the_limit() -> None:
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    session = Session(ours, reading, Limits(), end=lambda grace_s: -9, rss=lambda: 0)
    question = json.dumps({"op": "callback", "function": 0, "args": {"tuple": []}, "kwargs": {"dict": []}}).encode()
    questions = (struct.pack(">I", len(question)) + question) * 500
    asking = threading.Timer(0.05, theirs.sendall, [questions])
    asking.start()

    def slow(asked: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.01)
        return {"op": "value", "value": None}

    began = time.monotonic()
    with pytest.raises(Failure, match="timeout"):
        session.ask({"op": "call"}, seconds=0.2, callback=slow)
    assert time.monotonic() - began < 1.0
    asking.join()
    session.discard()
    theirs.close()
    os.close(writing)


def test_an_answer_before_the_question_is_none() -> None:
    """It would be taken for that to the next question, whatever that is."""
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    session = Session(ours, reading, Limits(), end=lambda grace_s: -9, rss=lambda: 0)
    answer = json.dumps({"op": "loaded"}).encode()
    theirs.sendall(struct.pack(">I", len(answer)) + answer)
    with pytest.raises(Failure, match="before it was asked"):
        session.ask({"op": "load"}, seconds=1.0)
    session.discard()
    theirs.close()
    os.close(writing)


class Asleep:
    """A worker's process that answers a moment after it has been asked; its session finds it frozen."""

    NAP_S = 0.05
    REPLY: ClassVar = {"op": "raced", "addresses": [], "events_ms": 1.0}

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        reading, self._writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._serve(theirs)
            finally:
                os._exit(0)
        theirs.close()
        self._has_started(ours)
        self.session = Session(
            ours, reading, Limits(), end=self._end, rss=lambda: 0, worker=self.pid, tree=lambda: [self.pid]
        )
        self.session.freeze()

    def _serve(self, theirs: socket.socket) -> None:
        os.setsid()
        theirs.sendall(b"!")
        while True:
            wire.receive(theirs)
            time.sleep(self.NAP_S)
            wire.send(theirs, self.REPLY)

    def _has_started(self, ours: socket.socket) -> None:
        assert ours.recv(1) == b"!"

    def _end(self, grace_s: float) -> int:
        os.kill(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def stops(self) -> bool:
        """Whether it is stopped, now or in a moment: signals take one."""
        end = time.monotonic() + 1.0
        while Path(f"/proc/{self.pid}/stat").read_text().split()[2] != "T":
            if time.monotonic() > end:
                return False
        return True

    def close(self) -> None:
        self.session.discard()
        os.close(self._writing)


def test_the_clock_starts_before_the_worker_may_run_and_stops_with_its_answer() -> None:
    worker = Asleep()
    try:
        assert worker.stops()
        for _ in range(2):
            reply, seconds = worker.session.clocked({"op": "batch", "count": 1}, seconds=5.0)
            assert reply == worker.REPLY
            assert seconds >= worker.NAP_S
            assert worker.stops(), "it is halted when it has answered"
        with pytest.raises(Failure, match="timeout"):
            worker.session.clocked({"op": "batch", "count": 1}, seconds=worker.NAP_S / 2)
    finally:
        worker.close()
