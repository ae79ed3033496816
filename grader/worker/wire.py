"""Frames between grader and worker: 4 bytes of length, then JSON.

File descriptors travel from the grader to the worker only. The grader never reads ancillary data, so the kernel
closes what a worker tries to pass.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any

MAX_FRAME = 1 << 20
"""Bytes of one frame; values are short, tensors travel as memory."""

_LENGTH = struct.Struct(">I")
_MAX_DESCRIPTORS = 64


class WireError(Exception):
    """The other side is gone, or sent what is no frame."""


def encode(message: dict[str, Any]) -> bytes:
    """One frame; raise WireError when it is too long."""
    body = json.dumps(message, separators=(",", ":")).encode()
    if len(body) > MAX_FRAME:
        raise WireError(f"a message of {len(body):,} bytes; at most {MAX_FRAME:,} travel")
    return _LENGTH.pack(len(body)) + body


def send(sock: socket.socket, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send one frame; descriptors ride on its first byte."""
    frame = encode(message)
    if descriptors:
        rights = array.array("i", descriptors)
        sent = sock.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        frame = frame[sent:]
    sock.sendall(frame)


def receive(sock: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The worker's side: block for one frame and the descriptors that came with it."""
    head, descriptors = _first(sock)
    size = _LENGTH.unpack(head)[0]
    if size > MAX_FRAME:
        raise WireError("oversized frame")
    message = json.loads(_exactly(sock, size))
    return message, descriptors


def _first(sock: socket.socket) -> tuple[bytes, list[int]]:
    size = array.array("i").itemsize
    data, ancillary, _, _ = sock.recvmsg(4, socket.CMSG_SPACE(_MAX_DESCRIPTORS * size))
    descriptors = array.array("i")
    for level, kind, rights in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(rights[: len(rights) - len(rights) % size])
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    if not data:
        raise WireError("the connection is closed")
    return data + _exactly(sock, 4 - len(data)), list(descriptors)


def _exactly(sock: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = sock.recv(min(size, 1 << 16))
        if not part:
            raise WireError("the connection is closed")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Frames:
    """The grader's side: bytes in, checked frames out, never blocking and never trusting."""

    def __init__(self) -> None:
        """Start with no bytes."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Take what arrived; raise WireError for anything that is no frame."""
        self._buffer += data
        found = []
        while len(self._buffer) >= 4:
            size = _LENGTH.unpack(self._buffer[:4])[0]
            if size > MAX_FRAME:
                raise WireError(f"a frame that claims {size:,} bytes")
            if len(self._buffer) < 4 + size:
                break
            found.append(_parse(bytes(self._buffer[4 : 4 + size])))
            del self._buffer[: 4 + size]
        return found


def _parse(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise WireError(f"bytes that are no JSON ({type(error).__name__})") from None
    if not isinstance(message, dict):
        raise WireError("JSON that is no object")
    try:
        return {str(key): _clean(value) for key, value in message.items()}
    except RecursionError:
        raise WireError("JSON that is nested too deep") from None


def _clean(value: Any) -> Any:
    """Texts without what a terminal or a file cannot take: lone surrogates, control characters."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {printable(key): _clean(item) for key, item in value.items()}
    return value


def printable(text: str) -> str:
    """A text that can be printed and encoded; what cannot becomes a replacement character."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)
