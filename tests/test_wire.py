"""Frames and values: what comes from a worker is checked before it is believed."""

from __future__ import annotations

import json
import os
import random
import socket
import struct
from collections import OrderedDict, namedtuple
from pathlib import Path

import pytest

from grader.boundary.memory import Segment
from grader.worker import values, wire


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


def test_a_frame_and_a_descriptor_arrive() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, Segment.of(b"hello") as segment:
        wire.send(ours, {"op": "load", "n": 3}, [segment.descriptor])
        message, descriptors = wire.receive(theirs)
        assert message == {"op": "load", "n": 3}
        assert os.pread(descriptors[0], 5, 0) == b"hello"
        os.close(descriptors[0])


def test_frames_may_come_in_pieces_and_together() -> None:
    data = wire.encode({"a": 1}) + wire.encode({"b": [1, 2]})
    frames = wire.Frames()
    found = [message for byte in data for message in frames.feed(bytes([byte]))]
    assert found == [{"a": 1}, {"b": [1, 2]}]
    assert wire.Frames().feed(data) == found


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">I", wire.MAX_FRAME + 1),
        b"\xff\xff\xff\xff",
        frame(b"not json"),
        frame(b"[1, 2]"),
        frame(b'"text"'),
        frame(b"[" * 100_000),
        frame(b'{"a":' * 100_000),
        frame(b'{"a": ' + b"9" * 100_000 + b"}"),
        frame(b"\x80\x04\x95pickle"),
        frame(b'{"a": "\xff"}'),
    ],
    ids=lambda data: repr(data[:12]),
)
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.Frames().feed(data)


def test_random_bytes_are_refused_or_waited_for() -> None:
    generator = random.Random(0)
    for _ in range(2000):
        frames = wire.Frames()
        try:
            frames.feed(generator.randbytes(generator.randrange(64)))
        except wire.WireError:
            continue


def test_a_message_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(wire.WireError, match="at most"):
        wire.encode({"text": "x" * wire.MAX_FRAME})


def test_a_closed_connection_is_an_error() -> None:
    ours, theirs = socket.socketpair()
    ours.close()
    with theirs, pytest.raises(wire.WireError, match="closed"):
        wire.receive(theirs)


def test_a_descriptor_of_the_worker_is_not_received() -> None:
    """The grader reads without room for ancillary data, so the kernel closes what is passed."""
    ours, theirs = socket.socketpair()
    with ours, theirs, Segment.of(b"x") as segment:
        wire.send(theirs, {"op": "returned"}, [segment.descriptor])
        before = len(list(Path("/proc/self/fd").iterdir()))
        assert wire.Frames().feed(ours.recv(1 << 16)) == [{"op": "returned"}]
        assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize(
    "value",
    [None, True, 3, -1.5, "text", [1, [2.0, None]], (1, "a"), {"a": (1, 2), 3: []}, float("inf"), []],
)
def test_values_come_back_as_they_were(value: object) -> None:
    def none(tag: str, content: object) -> None:
        raise AssertionError(tag)

    packed = json.loads(json.dumps(values.pack(value, lambda leaf: {"other": str(leaf)})))
    found = values.unpack(packed, none)
    assert found == value
    assert type(found) is type(value)


def test_everything_else_goes_through_the_leaf() -> None:
    packed = values.pack([{1}, object()], lambda leaf: {"other": type(leaf).__name__})
    assert packed == {"list": [{"other": "set"}, {"other": "object"}]}
    assert values.unpack(packed, lambda tag, content: (tag, content)) == [("other", "set"), ("other", "object")]


def test_derived_types_travel_as_what_they_derive_from() -> None:
    class Text(str):
        pass

    class Number(float):
        pass

    value = OrderedDict(a=Text("b"), c=[Number(2.5)], d=namedtuple("Pair", "x y")(1, True))
    packed = values.pack(value, lambda leaf: pytest.fail(str(leaf)))
    assert values.unpack(packed, lambda tag, content: None) == {"a": "b", "c": [2.5], "d": (1, True)}


@pytest.mark.parametrize("packed", [[], [1], {}, {"a": 1, "b": 2}])
def test_what_was_never_packed_is_refused(packed: object) -> None:
    with pytest.raises(ValueError, match="no packed value"):
        values.unpack(packed, lambda tag, content: None)


@pytest.mark.parametrize("action", [lambda f: os.ftruncate(f, 1), lambda f: os.ftruncate(f, 100)])
def test_the_size_of_lent_memory_is_sealed(action: object) -> None:
    with Segment(10) as segment, pytest.raises(OSError, match="not permitted"):
        action(segment.descriptor)  # type: ignore[operator]
