"""`submission` as a test sees it: its functions run in the worker, their results are plain tensors.

The reference is computed from the grader's own inputs; what the worker gets is a copy that is compared afterwards.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch

from grader.boundary import lending
from grader.boundary.host import Host, Session
from grader.boundary.lending import Lent
from grader.boundary.memory import Segment
from grader.boundary.replies import known_name, launch_problem
from grader.boundary.results import Odd, Slot, checked_claim, describe, device_name, fill, is_same, varies
from grader.exercise import Entry
from grader.records import Failure, Finding
from grader.rules import Called
from grader.status import Status
from grader.worker import values
from shared.cuda.library import error_text
from shared.traffic import Traffic, unpack
from shared.workloads import Workload

_TENSOR_KINDS = ("a sparse tensor", "a subclass of torch.Tensor")
MAX_RESULT_BYTES = 1 << 30
"""Of all tensors that one call returns."""


class SubmissionProxy:
    """The student's functions. One proxy, and on the CPU one process, for each setting of a test."""

    def __init__(self, host: Host, device: str, call_s: float | None = None, counts_traffic: bool = False) -> None:
        """Nothing is started before the first call; `call_s` replaces the exercise's limit for one call."""
        self._host = host
        self._call_s = call_s or host.exercise.limits.call_s
        self._device = device
        self._session: Session | None = None
        self._replacements: list[dict[str, Any]] = []
        self._callbacks: list[Callable[..., Any]] = []
        self._classes: list[type] = []
        self._objects: list[Any] = []
        self.last_inputs: tuple[Any, ...] = ()
        self.called: list[Called] = []  # what each call did, where the exercise asks for a kernel of one's own
        self.traffic: Traffic | None = None  # what the last call moved, where that is counted
        self._counts_traffic = counts_traffic
        self._last: tuple[Entry, dict[str, Any], Any] | None = None
        self._counts: tuple[Any, Any] = (None, None)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """The entry point of this name; only those that exercise.yaml declares."""
        for entry in self._host.exercise.entries:
            if entry.name == name:
                return lambda *args, **kwargs: self._call(entry, args, kwargs)
        known = ", ".join(entry.name for entry in self._host.exercise.entries)
        raise AttributeError(f"exercise.yaml declares no entry {name!r}; it has: {known}")

    def replace(self, replacements: Mapping[str, Any]) -> None:
        """Before the file is imported, put functions and classes of the grader at dotted names.

        A function becomes a callback. The objects of a class live in the grader; its public methods become callbacks.
        """
        assert self._session is None, "replace() comes before the first call"
        for target, value in replacements.items():
            packed: dict[str, Any] = {"target": target, "callback": self._callback(value)}
            if isinstance(value, type):
                self._classes.append(value)
                packed["methods"] = {
                    name: self._callback(method)
                    for name, method in inspect.getmembers(value, inspect.isfunction)
                    if not name.startswith("_")
                }
            self._replacements.append(packed)

    def take_output(self) -> str:
        """What the student's code printed in this setting."""
        return self._session.take_output() if self._session else self._host.last_output

    def close(self) -> None:
        """Give the worker back."""
        if self._session is not None:
            self._host.done(self._session)
            self._session = None

    @property
    def may_be_decoy(self) -> bool:
        """Whether the last call launched kernels and has a result that could tell."""
        return self._last is not None and bool(self.called) and bool(self.called[-1].launches)

    def is_decoy(self) -> bool:
        """Whether the last call gives the same result when its kernels do nothing."""
        assert self._last is not None
        entry, kwargs, result = self._last
        args, outputs = self.last_inputs, self._host.exercise.outputs(entry)
        again = tuple(torch.full_like(a, float("nan")) if i in outputs else a for i, a in enumerate(args))
        lent = Lent()
        try:
            second = self._exchange(self._open(), entry, again, kwargs, lent, run_kernels=False)
        except Failure:
            return False
        finally:
            lent.close()
        if outputs:
            return all(is_same(args[i], again[i]) for i in outputs)
        return is_same(result, second)

    def _call(self, entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.last_inputs = args
        session = self._open()
        lent = Lent()
        try:
            result = self._exchange(session, entry, args, kwargs, lent)
            self._keep(entry, args, kwargs, result)
            return result
        except Failure as error:
            if not session.alive:
                self._host.count(error.finding)
            raise
        finally:
            lent.close()

    def _keep(self, entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """What the rules of the exercise need to know of a call whose result needs work."""
        operations, launches = self._counts
        outputs = [args[i] for i in self._host.exercise.outputs(entry)] or [result]
        self._last = (entry, kwargs, result) if operations is not None and any(map(varies, outputs)) else None
        if self._last is not None:
            self.called.append(Called.of(operations, launches))

    def _open(self) -> Session:
        if self._session is None:
            self._session = self._host.open(self._device, self._replacements, self._answer)
        return self._session

    def _exchange(
        self,
        session: Session,
        entry: Entry,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        lent: Lent,
        run_kernels: bool = True,
    ) -> Any:
        def outgoing(value: Any) -> dict[str, Any]:
            return self._outgoing(value, lent)

        request = {
            "op": "call",
            "file": self._host.exercise.file,
            "entry": entry.name,
            "args": values.pack(args, outgoing),
            "kwargs": values.pack(kwargs, outgoing),
        }
        request["evidence"] = {"run_kernels": run_kernels} if self._host.exercise.own_kernel else None
        request["traffic"] = self._counts_traffic
        request["regions"] = lent.lend()
        request["names"] = _names(entry, args, len(request["regions"]))
        descriptors = [lent.segment.descriptor] if lent.segment else []
        lent_bytes = len(lent.segment.view) if lent.segment else 0
        reply = session.ask(request, descriptors, seconds=self._call_s, callback=self._answer, lent_bytes=lent_bytes)
        if reply["op"] == "raised":
            raise self._host.raised(reply)
        self._counts = reply.get("operations"), reply.get("launches")
        self.traffic = unpack(reply["traffic"]) if reply.get("traffic") is not None else None
        if self._host.exercise.is_cuda:
            return self._launched(entry, args, reply, lent)
        _check_inputs(entry, args, lent, outputs=())
        return self._result(session, reply)

    def _launched(self, entry: Entry, args: tuple[Any, ...], reply: dict[str, Any], lent: Lent) -> Any:
        """After a launcher: faults, its error code, changed inputs; outputs go into the test's own tensors."""
        code = reply["value"]
        name = error_text(code) if isinstance(code, int) else str(code)
        problem = launch_problem(entry.name, code, reply["fault"], name, self._host.exercise.file, self._host.text)
        if problem is not None:
            raise Failure(problem)
        outputs = self._host.exercise.outputs(entry)
        _check_inputs(entry, args, lent, outputs)
        for position in outputs:
            lent.take_back(args[position])
        return code

    def _result(self, session: Session, reply: dict[str, Any]) -> Any:
        claims: list[dict[str, Any]] = []

        def claimed(tag: str, content: Any) -> Any:
            if tag == "tensor":
                claims.append(checked_claim(content))
                return Slot(len(claims) - 1)
            return self._odd(str(content)) if tag == "other" else self._objects[content[1]]

        try:
            value = values.unpack(reply["value"], claimed)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            text = f"the process sent a result that is none ({type(error).__name__})"
            raise Failure(Finding(Status.CRASHED, text)) from error
        for claim in claims:
            if claim["device"] != self._device:
                return Odd(f"a tensor on {device_name(claim)}", f"one on {self._device}")
        return fill(value, self._fetch(session, claims)) if claims else describe(value)

    def _odd(self, found: str) -> Odd:
        """A result of another type; its name is shown if it cannot hold a value."""
        name, _, kind = found.partition(", ")
        if known_name(name, self._host.text):
            return Odd(f"{name}, {kind}" if kind in _TENSOR_KINDS else name)
        return Odd("an object of a type made at run time")

    def _fetch(self, session: Session, claims: list[dict[str, Any]]) -> list[torch.Tensor]:
        """Ask for the results' bytes, in memory that is as large as they claim to be."""
        offsets, end = [], 0
        for claim in claims:
            offsets.append(end)
            end += -(-lending.size_of(claim) // 256) * 256
        if end > MAX_RESULT_BYTES:
            found = f"a result of {end / 2**20:,.0f} MB"
            raise Failure(Finding(Status.WRONG_SHAPE, f"returned {found}"))
        with Segment(max(end, 1)) as segment:
            wanted = [[c["index"], offset] for c, offset in zip(claims, offsets, strict=True)]
            request = {"op": "fetch", "file": self._host.exercise.file, "outputs": wanted}
            reply = session.ask(request, [segment.descriptor], seconds=self._call_s, lent_bytes=end)
            if reply["op"] == "raised":
                raise self._host.raised(reply)
            return lending.read_results(segment, list(zip(offsets, claims, strict=True)))

    def _outgoing(self, value: Any, lent: Lent) -> dict[str, Any]:
        if isinstance(value, torch.Tensor):
            return {"tensor": lent.add(value)}
        if isinstance(value, Workload):
            return {"workload": {"name": value.name, "arguments": value.arguments}}
        if type(value) in self._classes:
            return self._handle(value)
        if callable(value):
            return {"callback": self._callback(value)}
        raise TypeError(f"a test cannot send {type(value).__name__} to a submission")

    def _callback(self, function: Callable[..., Any]) -> int:
        self._callbacks.append(function)
        return len(self._callbacks) - 1

    def _handle(self, value: Any) -> dict[str, Any]:
        self._objects.append(value)
        return {"object": [self._classes.index(type(value)), len(self._objects) - 1]}

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Run a callback for the worker. Its own RuntimeError, or wrong arguments, go back to the student."""
        function = self._callbacks[question["function"]]
        args = values.unpack(question["args"], self._named)
        kwargs = values.unpack(question["kwargs"], self._named)
        try:
            inspect.signature(function).bind(*args, **kwargs)
            result = function(*args, **kwargs)
        except (TypeError, RuntimeError, ValueError, AttributeError, OverflowError) as error:
            kind = next(c.__name__ for c in type(error).__mro__ if hasattr(builtins, c.__name__))
            return {"op": "error", "type": kind, "message": str(error)}
        return {"op": "value", "value": values.pack(result, self._answered)}

    def _named(self, tag: str, content: Any) -> Any:
        """An object of ours that the worker names, or something of its own that means nothing here."""
        return self._objects[content[1]] if tag == "object" else Odd(str(content))

    def _answered(self, value: Any) -> dict[str, Any]:
        if type(value) in self._classes:
            return self._handle(value)
        raise TypeError(f"a callback cannot return {type(value).__name__}")


def _names(entry: Entry, args: tuple[Any, ...], count: int) -> list[str]:
    """A name for each region: that of the parameter that first uses it."""
    tensors = [n for n, a in zip(entry.parameters, args, strict=False) if isinstance(a, torch.Tensor)]
    return (tensors + [f"input {i}" for i in range(count)])[:count]


def _check_inputs(entry: Entry, args: tuple[Any, ...], lent: Lent, outputs: tuple[int, ...]) -> None:
    for position, value in enumerate(args):
        if position in outputs or not isinstance(value, torch.Tensor):
            continue
        if not lent.is_unchanged(value):
            name = entry.parameters[position] if position < len(entry.parameters) else "its input"
            hint = "Write results into a new tensor; inputs, and the memory around a view, are read only."
            raise Failure(Finding(Status.INCORRECT, f"changed its input {name}", diagnosis=hint))
