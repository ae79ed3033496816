"""One conversation with one worker: requests out, checked replies in, within limits of time, memory and output.

A reply is a claim. Its form is checked here, field by field; whoever sends anything else is treated as crashed.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

from grader.boundary.replies import check_form
from grader.exercise import Limits
from grader.records import Failure, Finding
from grader.status import Status
from grader.worker import wire

_TICK_S = 0.05  # how often memory is looked at while waiting
_SPIN_S = 0.1  # of a reply on the clock: a process that sleeps wakes up tens of microseconds late
_GRACE_S = 0.5  # for a process that closed its connection to end by itself

End = Callable[[float], int]
"""Ends the worker's process after a grace time; its exit code, negative for a signal."""


class Session:
    """The grader's end of a worker's connection."""

    def __init__(
        self,
        connection: socket.socket,
        output: int,
        limits: Limits,
        end: End,
        rss: Callable[[], int],
        excess: Callable[[], str] = lambda: "",
        worker: int = 0,
        tree: Callable[[], list[int]] = list,
    ) -> None:
        """`output` is the reading end of the worker's prints, `rss` tells its resident bytes.

        `excess` says what it used beyond the bounds of its sandbox. What can be frozen has a process that answers,
        the `worker`, in a `tree` of all that are in the sandbox.
        """
        self._connection = connection
        self._output = output
        self._limits = limits
        self._end = end
        self._rss = rss
        self._worker = worker
        self._tree = tree
        self._frozen: list[int] = []
        self._excess = excess
        self._looked = 0.0
        self._arrived = 0.0  # when the last bytes came, on the clock of `clocked`
        self._frames = wire.Frames()
        self._waiting: list[dict[str, Any]] = []
        self._kept = bytearray()
        self._printed = 0
        self._lent_bytes = 0
        self._at_start = rss()  # libraries and a CUDA context, which nobody asked the student to bring
        self.alive = True
        connection.setblocking(False)
        os.set_blocking(output, False)

    def ask(
        self,
        request: dict[str, Any],
        descriptors: Sequence[int] = (),
        *,
        seconds: float,
        callback: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        lent_bytes: int = 0,
    ) -> dict[str, Any]:
        """Send a request and wait for its reply, answering callbacks on the way.

        `lent_bytes` of the grader's own memory do not count against the worker's limit.
        Raises Failure (timeout, crashed, memory_error) and ends the worker when there is no proper reply in time.
        """
        deadline = time.monotonic() + seconds
        self._lent_bytes = lent_bytes
        self._post(request, descriptors, deadline)
        while True:
            reply = self._checked(str(request["op"]), self._next(deadline, seconds))
            if reply.get("op") != "callback" or callback is None:
                return reply
            self._send(self._answer(callback, reply), (), deadline)
            if time.monotonic() > deadline:  # with questions that wait already it would go on
                raise self._timeout(seconds)

    def clocked(self, request: dict[str, Any], *, seconds: float) -> tuple[dict[str, Any], float]:
        """The reply of a frozen worker, and the seconds from before it may run until its answer has come.

        It is halted when it has answered; freeze it to stop what it has started, too.
        """
        deadline = time.monotonic() + seconds
        self._post(request, (), deadline)
        start = time.perf_counter()
        self.thaw()
        reply = self._next(deadline, seconds, spin_s=_SPIN_S)
        self._halt()
        return self._checked(str(request["op"]), reply), self._arrived - start

    def _halt(self) -> None:
        """Stop the worker's process group at once, which takes microseconds."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(os.getpgid(self._worker), signal.SIGSTOP)

    def freeze(self) -> None:
        """Stop the worker and everything it started: nothing of it runs until `thaw`."""
        stopped: list[int] = []
        while (found := self._tree()) != stopped:  # what was started while we looked is found the next time
            stopped = found
            for pid in stopped:
                _signal(pid, signal.SIGSTOP)
        self._frozen = stopped

    def thaw(self) -> None:
        """Let it run on."""
        for pid in self._frozen:
            _signal(pid, signal.SIGCONT)

    def take_output(self) -> str:
        """What the student's code printed since the last time, as text, cut to the limit."""
        self._drain()
        kept, printed = bytes(self._kept), self._printed
        self._kept.clear()
        self._printed = 0
        text = wire.printable(kept.decode("utf-8", "replace").replace("\r\n", "\n"))
        if printed > len(kept):
            text += f"\n[more was printed; {self._limits.output_kb:g} kB are kept]"
        return text

    def close(self) -> None:
        """End the worker, whatever it is doing."""
        if self.alive:
            self.alive = False
            self._connection.close()
            self._end(0.0)
        self._drain()

    def discard(self) -> None:
        """Close, and give the pipe back."""
        self.close()
        os.close(self._output)

    def _checked(self, request: str, reply: dict[str, Any]) -> dict[str, Any]:
        try:
            check_form(request, reply)
        except (ValueError, TypeError) as error:
            raise self._crash(f"sent {error}") from None
        if reply.get("broken"):
            self.close()  # its CUDA context is gone: the next setting gets another worker
        return reply

    def _answer(self, callback: Callable[[dict[str, Any]], dict[str, Any]], question: dict[str, Any]) -> dict[str, Any]:
        try:
            return callback(question)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise self._crash(f"asked for what does not exist ({type(error).__name__})") from error

    def _post(self, request: dict[str, Any], descriptors: Sequence[int], deadline: float) -> None:
        if self._waiting or self._has_more():
            raise self._crash("answered before it was asked")
        self._send(request, descriptors, deadline)

    def _send(self, message: dict[str, Any], descriptors: Sequence[int], deadline: float) -> None:
        try:
            self._connection.settimeout(max(0.01, deadline - time.monotonic()))
            wire.send(self._connection, message, descriptors)
        except OSError:  # gone, or it does not read: waiting for the reply will tell which
            pass
        finally:
            with contextlib.suppress(OSError):
                self._connection.setblocking(False)

    def _has_more(self) -> bool:
        """Whether something has come that nobody has read."""
        try:
            return bool(self._connection.recv(1, socket.MSG_PEEK))
        except OSError:  # nothing, or nobody there any more: waiting for the reply will tell
            return False

    def _next(self, deadline: float, seconds: float, spin_s: float = 0.0) -> dict[str, Any]:
        spin_end = time.monotonic() + spin_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            selector.register(self._output, selectors.EVENT_READ)
            while not self._waiting:
                now = time.monotonic()
                if now >= deadline:
                    raise self._timeout(seconds)
                wait = 0.0 if now < spin_end else min(_TICK_S, deadline - now)
                ready = [key.fd for key, _ in selector.select(wait)]
                if self._output in ready and not self._drain():
                    selector.unregister(self._output)  # closed by the student
                if self._connection.fileno() in ready:
                    self._read()
                elif now > self._looked + _TICK_S:
                    self._watch()
        self._watch()  # when the time of the answer is taken
        return self._waiting.pop(0)

    def _read(self) -> None:
        try:
            data = self._connection.recv(1 << 16)
            self._arrived = time.perf_counter()
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise self._ended()
        try:
            self._waiting += self._frames.feed(data)
        except wire.WireError as error:
            raise self._crash(f"sent {error}") from None

    def _drain(self) -> bool:
        """Read what was printed; whether more may come."""
        while True:
            try:
                data = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self._printed += len(data)
            room = int(self._limits.output_kb * 1024) - len(self._kept)
            self._kept += data[: max(0, room)]
            if self._printed > self._limits.flood_mb * 2**20:
                return True  # `_watch` ends the worker

    def _watch(self) -> None:
        if self._printed > self._limits.flood_mb * 2**20:
            raise self._crash(f"printed more than {self._limits.flood_mb:g} MB and was ended")
        excess = self._excess()
        if excess:
            raise self._crash(excess)
        now = time.monotonic()
        if now > self._looked + _TICK_S:
            self._looked = now
            if self._rss() > self._at_start + self._limits.memory_mb * 2**20 + self._lent_bytes:
                raise self._crash(f"used more than {self._limits.memory_mb:g} MB of memory and was ended")

    def _timeout(self, seconds: float) -> Failure:
        self.close()
        hint = "An endless loop? Look at the conditions that end your loops."
        summary = f"no answer within {seconds:g} s; the process was ended"
        return Failure(Finding(Status.TIMEOUT, summary, diagnosis=hint))

    def _crash(self, what: str) -> Failure:
        self.close()
        return Failure(Finding(Status.CRASHED, f"the process {what}"))

    def _ended(self) -> Failure:
        """The connection is closed: by the end of the process, or by the student's code."""
        self.alive = False
        self._connection.close()
        excess = self._excess()
        code = self._end(_GRACE_S)
        self._drain()
        if excess:
            return Failure(Finding(Status.CRASHED, f"the process {excess}"))
        return Failure(_explain_exit(code))


def _signal(pid: int, number: int) -> None:
    """Send a signal to what may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _signal_name(number: int) -> str:
    """`SIGSEGV` and the like; real-time signals have no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_MEMORY_SIGNALS = (signal.SIGSEGV, signal.SIGBUS)


def _explain_exit(code: int) -> Finding:
    """What an exit code says of a process that ended before it answered."""
    if code >= 0:
        return Finding(
            Status.CRASHED,
            f"the process ended with exit code {code} before it answered",
            diagnosis="A function must return to its caller: no os._exit, no closing of descriptors.",
        )
    name = _signal_name(-code)
    if -code in _MEMORY_SIGNALS:
        return Finding(
            Status.MEMORY_ERROR,
            f"the process died of an invalid memory access ({name})",
            diagnosis="An address that belongs to no tensor, or a null pointer: check masks, bounds and pointers.",
        )
    if -code == signal.SIGKILL:
        return Finding(
            Status.CRASHED,
            "the process closed its connection to the grader, or was killed, before it answered",
        )
    return Finding(Status.CRASHED, f"the process died of {name} before it answered")
