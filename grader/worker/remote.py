"""Callbacks into the grader, and stand-ins for library functions and classes.

An exercise may hand the student a device that is simulated in the grader: `run`, `torch.cuda.synchronize`, `time.time`
and classes such as `torch.cuda.Event` then live there, and what stands in their place here only asks. They are
installed before the student's file is imported, so `from time import perf_counter` gets the stand-in too.
"""

from __future__ import annotations

import builtins
import importlib
import socket
import threading
from collections.abc import Callable
from typing import Any

from grader.worker import values, wire


class StandIn:
    """Base of classes whose objects live in the grader."""

    _class = -1
    _handle = -1


Exchange = Callable[[dict[str, Any]], dict[str, Any]]
"""Takes a question to the grader and brings the answer back."""


def over(connection: socket.socket) -> Exchange:
    """Ask over the worker's own connection, one question at a time."""
    lock = threading.Lock()

    def exchange(question: dict[str, Any]) -> dict[str, Any]:
        with lock:
            wire.send(connection, question)
            return wire.receive(connection)[0]

    return exchange


class Remote:
    """Functions and classes that only ask the grader."""

    def __init__(self, exchange: Exchange) -> None:
        """`exchange` reaches the grader."""
        self._exchange = exchange
        self._classes: list[type[StandIn]] = []

    def install(self, replacements: list[dict[str, Any]]) -> None:
        """Put a stand-in at each dotted name, such as `torch.cuda.synchronize`."""
        for replacement in replacements:
            if "methods" in replacement:
                stand_in: Any = self._class_of(replacement)
            else:
                stand_in = self.function(replacement["callback"])
            owner, name = _owner(replacement["target"])
            setattr(owner, name, stand_in)

    def function(self, callback: int) -> Callable[..., Any]:
        """A function that asks the grader."""

        def ask(*args: Any, **kwargs: Any) -> Any:
            return self._ask(callback, args, kwargs)

        return ask

    def object(self, content: list[int]) -> StandIn:
        """The stand-in of an object that the grader named."""
        cls = self._classes[content[0]]
        found = cls.__new__(cls)
        found._class, found._handle = content
        return found

    def _class_of(self, replacement: dict[str, Any]) -> type[StandIn]:
        remote = self
        position = len(self._classes)

        def new(self: StandIn, *args: Any, **kwargs: Any) -> None:
            made = remote._ask(replacement["callback"], args, kwargs)
            self._class, self._handle = made._class, made._handle

        body: dict[str, Any] = {"__init__": new}
        for name, callback in replacement["methods"].items():
            body[name] = _method(self, callback)
        cls = type(replacement["target"].rpartition(".")[2], (StandIn,), body)
        self._classes.append(cls)
        assert self._classes[position] is cls
        return cls

    def _ask(self, callback: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        question = {
            "op": "callback",
            "function": callback,
            "args": values.pack(args, _outgoing),
            "kwargs": values.pack(kwargs, _outgoing),
        }
        answer = self._exchange(question)
        if answer["op"] == "error":
            raise getattr(builtins, answer["type"])(answer["message"])
        return values.unpack(answer["value"], self._incoming)

    def _incoming(self, tag: str, content: Any) -> Any:
        if tag != "object":
            raise ValueError(f"the grader sent {tag!r} to a callback")
        return self.object(content)


def _method(remote: Remote, callback: int) -> Callable[..., Any]:
    def method(self: StandIn, *args: Any, **kwargs: Any) -> Any:
        return remote._ask(callback, (self, *args), kwargs)

    return method


def _outgoing(value: Any) -> dict[str, Any]:
    if isinstance(value, StandIn):
        return {"object": [value._class, value._handle]}
    return {"other": f"{type(value).__module__}.{type(value).__qualname__}"[:200]}


def _owner(target: str) -> tuple[Any, str]:
    """The module or class that holds a dotted name, and the last part of the name."""
    path, _, name = target.rpartition(".")
    parts = path.split(".")
    owner: Any = importlib.import_module(parts[0])
    for position, part in enumerate(parts[1:], start=2):
        if not hasattr(owner, part):
            importlib.import_module(".".join(parts[:position]))
        owner = getattr(owner, part)
    return owner, name
