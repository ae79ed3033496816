"""One worker on the track: a turn is fresh inputs, one batch on the clock, every output checked.

The worker runs during its own batch only. The clock starts before it is thawed, and stops when it has answered and is
halted again. A GPU that is still at work then is seen, and the turn is void.
"""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

import torch

from grader.boundary.replies import Raised, raised
from grader.boundary.session import Session
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.records import Failure, Finding
from grader.status import Status
from grader.timing.arena import Arena, Arguments
from grader.timing.mapped import Mapped
from grader.timing.oracle import Oracle, changed, late
from grader.timing.race import Turn
from shared import cuda_ipc

DEVICE = "cuda"
BATCH_S = 60.0
"""Seconds that one batch may take before its worker is ended."""
SUBMISSION_S = 90.0
"""Seconds that all batches of one case may take."""
OUT_OF_MEMORY = "OutOfMemoryError"
"""The exception of torch that a smaller batch may avoid."""
MAX_MOVES = 4
"""Turns in a row whose outputs lie in memory that is not mapped; what is kept in a cache settles after one or two."""


class Device(Protocol):
    """Whether anybody else is at work on the GPU, while every worker is frozen."""

    def is_idle(self) -> bool:
        """Look once."""

    def await_idle(self) -> None:
        """Wait for it; raise NotMeasured when it does not come."""


class GpuRacer:
    """A worker with its file loaded and the arena shared."""

    def __init__(
        self,
        session: Session,
        exercise: Exercise,
        entry: str,
        arena: Arena,
        oracle: Oracle,
        device: Device,
        *,
        reserve: int,
        trusted: bool = False,
        source: str = "",
    ) -> None:
        """`entry` is the function to call; a `trusted` one gets what reference.py gets; its first turn is checked.

        `reserve` bytes are allocated in one piece for what it returns, so that few segments hold all outputs.
        """
        self._session = session
        self._exercise = exercise
        self._source = source
        self._entry = entry
        self._arena = arena
        self._oracle = oracle
        self._trusted = trusted
        self._turns = 0
        self._moves = 0
        self._left_idle = False
        self._mapped = Mapped()
        self._ran = 0  # calls of the last batch
        self._spent_s = 0.0
        self.busy_turns = 0  # before or after which the GPU was at work
        self.count = arena.count
        self.is_idle = device.is_idle
        self.await_idle = device.await_idle
        self._ask({**arena.message(inputs_only=trusted), "reserve": 0 if self._fills_outputs else reserve})
        self._session.freeze()

    def turn(self) -> Turn:
        """One turn; raises Failure when an output is wrong.

        Outputs in memory that is not mapped yet cannot be checked before the worker runs again: the turn is void, and
        the memory learnt.
        """
        is_checked = not self._trusted or not self._turns
        self._prepare(self.count)
        if not self._arena.refill(self.count):  # for whose outputs are not checked, too: both are treated alike
            self.busy_turns += 1
            return _void("the GPU was busy while inputs were written")
        if not self._left_idle:
            self.await_idle()
        batch_ms, reply = self._timed(self.count)
        self._left_idle = self.is_idle()
        if is_checked:
            moved = self._check(reply["addresses"])
            if moved is not None:
                return moved
        if not self._left_idle:
            self.busy_turns += 1
            return _void("the GPU was busy with other work")
        self._turns += 1
        return Turn(batch_ms, float(reply["events_ms"]), self.count)

    def batch(self, count: int) -> tuple[float, dict[str, Any]]:
        """Milliseconds on the grader's clock for `count` calls, and the worker's reply."""
        self._prepare(count)
        return self._timed(count)

    def _prepare(self, count: int) -> None:
        """Have the worker do what takes time beside its calls, before the next inputs are written."""
        self._ask_awake({"op": "prepare", "count": count})

    def _timed(self, count: int) -> tuple[float, dict[str, Any]]:
        torch.cuda.synchronize()
        request = {"op": "batch", "entry": self._entry, "file": self._exercise.file}
        try:
            reply, batch_s = self._session.clocked(request, seconds=BATCH_S)
        finally:
            self._freeze()
        self._returned(reply)
        self._ran, self._spent_s = count, self._spent_s + batch_s
        if self._spent_s > SUBMISSION_S and not self._trusted:
            raise Failure(Finding(Status.TIMEOUT, f"its timed calls have taken more than {SUBMISSION_S:g} s together"))
        return batch_s * 1e3, reply

    def settle(self) -> None:
        """Run a batch that nobody times: it compiles, allocates and caches, and its outputs' memory is learnt."""
        self.batch(self.count)
        self._learn()

    def profile(self, count: int) -> dict[str, Any]:
        """The reply of the worker's instruments to some calls: kernels, operations, launches; evidence only."""
        return self._ask_awake({"op": "profile", "entry": self._entry, "count": count})

    def close(self) -> None:
        """Forget the worker's memory, let it go on, and have it give back what it holds."""
        try:
            self._mapped.close()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        if self._session.alive:
            self._session.thaw()
            with contextlib.suppress(Failure, GraderError, cuda_ipc.IpcError):  # what is wrong has been said already
                self._ask({"op": "share", "regions": [], "calls": [], "reserve": 0})

    @property
    def _fills_outputs(self) -> bool:
        """Whether the outputs lie in the grader's memory."""
        return self._exercise.is_cuda and not self._trusted

    def _freeze(self) -> None:
        if self._session.alive:
            self._session.freeze()

    def _ask_awake(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask while no clock runs."""
        self._session.thaw()
        try:
            return self._ask(request)
        finally:
            self._freeze()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        reply = self._session.ask({**request, "file": self._exercise.file}, seconds=BATCH_S)
        self._returned(reply)
        return reply

    def _returned(self, reply: dict[str, Any]) -> None:
        """Raise what a reply says was raised."""
        if reply["op"] == "raised":
            raise self._blamed(raised(reply, self._exercise.file, self._source))

    def _blamed(self, failure: Failure) -> Exception:
        """What the baseline does wrong is no fault of the submission; more memory than there is may be nobody's."""
        if not self._trusted:
            return failure
        if isinstance(failure, Raised) and failure.type_name == OUT_OF_MEMORY:
            return torch.OutOfMemoryError(failure.message)
        if isinstance(failure, Raised) and failure.type_name == cuda_ipc.IpcError.__name__:
            return cuda_ipc.IpcError(failure.message)  # trusted code: this machine cannot do it
        return GraderError(f"the baseline of {self._exercise.name}: {failure}")

    def _learn(self) -> bool:
        """Have the worker name where the last batch's outputs lie; whether any memory was new."""
        if self._fills_outputs:
            return False
        named = self._ask_awake({"op": "name"})
        try:
            return self._mapped.learn(named, self._ran)
        except cuda_ipc.IpcError as error:
            if self._trusted:
                raise
            raise Failure(Finding(Status.CRASHED, "named memory that cannot be opened", str(error))) from None

    def _check(self, addresses: list[int]) -> Turn | None:
        """Hold every output against the reference; raises Failure. A void turn where they could not be looked at."""
        if not self._fills_outputs and not self._mapped.knows(addresses):
            self._learn()
            return self._moved()
        wrong = self._wrong(addresses)
        if wrong is not None and self._learn():
            return self._moved()  # what was looked at was another memory: nothing is said of the output
        if wrong is not None:
            raise self._blamed(Failure(wrong))
        self._moves = 0
        return None

    def _moved(self) -> Turn:
        """A turn that is void, since its outputs could not be looked at before the worker ran again."""
        self._moves += 1
        if self._moves >= MAX_MOVES:
            text = "the outputs of every batch lie in memory that is new to it, so they cannot be checked in time"
            hint = "Are results kept after the call, or is memory given back to the device (torch.cuda.empty_cache)?"
            raise self._blamed(Failure(Finding(Status.RUNTIME_ERROR, text, diagnosis=hint)))
        return _void("the outputs lay in new memory")

    def _wrong(self, addresses: list[int]) -> Finding | None:
        """What is wrong with the first wrong output, in an order that nobody can foresee.

        A late output fails its screen and may be right a moment later, so the screen is run again before that counts.
        """
        if len(addresses) != self.count:
            return Finding(Status.CRASHED, f"named {len(addresses)} of {self.count} outputs")
        far = torch.zeros(self.count, dtype=torch.int32, device=DEVICE)
        for index in self._oracle.shuffled(self.count):
            inputs = self._arena.pristine(index) if self._oracle.draws_again() else self._arena.inputs(index)
            self._oracle.screen(self._located(index, addresses), self._arena.given(inputs), far[index : index + 1])
        counts = far.tolist()
        failed = [index for index, count in enumerate(counts) if count]
        fine = [index for index, count in enumerate(counts) if not count]
        for index in failed + self._oracle.samples(fine):
            out, inputs = self._located(index, addresses), self._arena.given(self._arena.pristine(index))
            call = f"timed call {index + 1} of {self.count}"
            if not self._oracle.is_right(out, inputs):
                return self._oracle.wrong(out, inputs, call)
            if counts[index] and not self._fails_screen(out, inputs):
                return late(call) if self._arena.is_unchanged(index) else changed(call)
        return None

    def _fails_screen(self, out: torch.Tensor, inputs: Arguments) -> bool:
        far = torch.zeros(1, dtype=torch.int32, device=DEVICE)
        self._oracle.screen(out, inputs, far)
        return bool(far)

    def _located(self, index: int, addresses: list[int]) -> torch.Tensor:
        """The tensor of an output, in our memory or in the worker's."""
        return self._arena.output(index) if self._fills_outputs else self._mapped.output(addresses[index])


def _void(why: str) -> Turn:
    return Turn(0.0, 0.0, 1, why)
