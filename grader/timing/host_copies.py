"""Timing where CUDA cannot share memory between processes: inputs and outputs travel through host memory.

The submission then sees its inputs before the clock starts, and its outputs are copied after it has stopped. What is
measured this way is shown to the student and gives no marks.
"""

from __future__ import annotations

import math
import time
from typing import Any

import torch

from grader.boundary import lending
from grader.boundary.memory import Segment
from grader.boundary.replies import raised
from grader.boundary.results import Odd
from grader.boundary.session import Session
from grader.errors import GraderError
from grader.exercise import Exercise
from grader.records import Failure
from grader.testing.inputs import given
from grader.timing.arena import description
from grader.timing.batches import BATCH_MS
from grader.timing.plan import Plan, as_baseline
from grader.timing.race import Result, Turn
from grader.timing.racer import BATCH_S

HELD_BYTES = 1 << 30
"""Of inputs that travel for one turn; a batch goes over them again and again."""
MAX_CALLS = 512


class HostRacer:
    """A worker with its file loaded, and copies of some inputs on its device."""

    def __init__(self, session: Session, exercise: Exercise, entry: str, plan: Plan, source: str = "") -> None:
        """A baseline's `exercise` has no prototypes and gets what reference.py gets."""
        self._session = session
        self._exercise = exercise
        self._entry = entry
        self._plan = plan
        self._source = source
        self._draw = plan.new_draw()
        self._is_trusted = not source
        self._fills_outputs = bool(exercise.prototypes)
        self._held = max(1, min(8, HELD_BYTES // plan.bytes_per_call))
        self._turns = 0
        self.count = 1

    def turn(self) -> Turn:
        """New inputs, one batch, the outputs of the held calls checked."""
        self._turns += 1
        self._hold()
        batch_ms, events_ms = self.batch(self.count)
        self._check()
        return Turn(batch_ms, events_ms, self.count)

    def batch(self, count: int) -> tuple[float, float]:
        """Milliseconds on the grader's clock and on the worker's."""
        self._ask({"op": "prepare", "count": count})
        start = time.perf_counter()
        reply = self._ask({"op": "batch", "entry": self._entry})
        return (time.perf_counter() - start) * 1e3, float(reply["events_ms"])

    def pace(self) -> None:
        """Set how many calls make a batch."""
        self._hold()
        self.batch(self._held)
        each_ms = self.batch(self._held)[0] / self._held
        self.count = max(self._held, min(MAX_CALLS, math.ceil(BATCH_MS / each_ms)))

    def _hold(self) -> None:
        """Draw the inputs of this turn and have the worker copy them to its device."""
        drawn = [self._draw(self._turns, index) for index in range(self._held)]
        tensors = [v for call in drawn for p, v in enumerate(call) if isinstance(v, torch.Tensor) and self._has(p)]
        sizes = [v.numel() * v.element_size() for v in tensors]
        offsets = [sum(sizes[:i]) for i in range(len(sizes))]
        with Segment(max(1, sum(sizes))) as segment:
            memory = torch.frombuffer(segment.view, dtype=torch.uint8)
            for tensor, offset, size in zip(tensors, offsets, sizes, strict=True):
                if not tensor.is_meta:
                    memory[offset : offset + size].copy_(tensor.contiguous().reshape(-1).view(torch.uint8))
            numbers = iter(range(len(tensors)))
            calls = [
                [
                    description(v, next(numbers), 0) if isinstance(v, torch.Tensor) else v
                    for p, v in enumerate(call)
                    if self._has(p) or not isinstance(v, torch.Tensor)
                ]
                for call in drawn
            ]
            if self._is_trusted and self._plan.outputs:
                calls = [[value for value in call if isinstance(value, dict)] for call in calls]
            regions = [list(pair) for pair in zip(offsets, sizes, strict=True)]
            self._ask({"op": "hold", "regions": regions, "calls": calls}, segment)

    def _has(self, position: int) -> bool:
        """Whether the function gets the tensor at this position."""
        return self._fills_outputs or position not in self._plan.outputs

    def _check(self) -> None:
        position = self._plan.outputs[0] if self._fills_outputs else -1
        size = self._plan.output_bytes
        wanted = [[index, position, index * size, self._plan.exact_bytes] for index in range(self._held)]
        with Segment(size * self._held) as segment:
            outputs = self._ask({"op": "collect", "outputs": wanted}, segment)["outputs"]
            memory = torch.frombuffer(segment.view, dtype=torch.uint8)
            for index, described in enumerate(outputs):
                if described is None or "other" in described:
                    raise Odd(str(described["other"]) if described else "None").failure()
                raw = memory[index * size : index * size + self._plan.exact_bytes].to("cuda")
                self._judge(index, raw, described)

    def _judge(self, index: int, raw: torch.Tensor, described: dict[str, Any]) -> None:
        inputs = given(self._draw(self._turns, index), self._plan.outputs)
        dtype, shape = lending.DTYPES.get(described["dtype"], torch.uint8), described["shape"]
        fits = math.prod(shape) * dtype.itemsize == raw.numel()
        out = raw.view(dtype).reshape(shape) if fits else torch.empty(0, dtype=dtype, device="cuda")
        if not self._plan.oracle.is_right(out, inputs):
            raise self._blamed(Failure(self._plan.oracle.wrong(out, inputs, f"timed call {index + 1}")))

    def _ask(self, request: dict[str, Any], segment: Segment | None = None) -> dict[str, Any]:
        descriptors = [segment.descriptor] if segment is not None else []
        lent = len(segment.view) if segment is not None else 0
        message = {**request, "file": self._exercise.file}
        reply = self._session.ask(message, descriptors, seconds=BATCH_S, lent_bytes=lent)
        if reply["op"] == "raised":
            raise self._blamed(raised(reply, self._exercise.file, self._source))
        return reply

    def _blamed(self, failure: Failure) -> Exception:
        return failure if not self._is_trusted else GraderError(f"the baseline of {self._exercise.name}: {failure}")


class HostRivals:
    """Submission and baseline, each with copies of its own."""

    def __init__(self, plan: Plan) -> None:
        """Nothing is copied yet."""
        self._plan = plan

    def enter(self, exercise: Exercise, text: str, submission: Session, baseline: Session) -> None:
        """Pace both."""
        self.submission = HostRacer(submission, exercise, exercise.entries[0].name, self._plan, text)
        self.baseline = HostRacer(baseline, as_baseline(exercise), "baseline", self._plan)
        for racer in (self.submission, self.baseline):
            racer.pace()

    def lengthen(self, result: Result) -> bool:
        """Never: what is measured here gives no marks."""
        return False

    def only_submission_was_busy(self) -> bool:
        """Nobody looks, since what is measured here gives no marks."""
        return False

    def leave(self) -> None:
        """Nothing is shared."""
