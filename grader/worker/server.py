"""A warm process without student code: it forks one child for each setting of a test.

Importing torch and Triton takes seconds, a fork takes milliseconds. The server itself never reads a student's byte.

    fork  + [connection, output]  ->  {"pid": n}          a child that serves on the connection
    end   {pid, grace_s}          ->  {"exit": code}      its exit code (negative: the signal), killing what is left

A child has a user's rights over its server. It cannot look into it or change it, and where it stops or kills it, the
grader ends the whole sandbox; there is one for each submission.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from pathlib import Path
from typing import Any

from grader.worker import child, limits, wire


def serve(control: socket.socket) -> None:
    """Answer until the grader closes the connection; then end the children."""
    children: dict[int, Path] = {}  # with their folders
    limits.adopt_orphans()
    limits.be_dumpable(False)
    try:
        while True:
            message, descriptors = wire.receive(control)
            wire.send(control, _answer(message, descriptors, children, control))
    except (wire.WireError, OSError):
        pass  # the grader is gone or has finished: there is nobody to tell
    finally:
        for pid in list(children):
            _end(pid, 0.0)


def _answer(
    message: dict[str, Any], descriptors: list[int], children: dict[int, Path], control: socket.socket
) -> dict[str, Any]:
    if message["op"] == "fork":
        pid = _fork(message, descriptors, control)
        children[pid] = Path(message["folder"])
        return {"pid": pid}
    folder = children.pop(message["pid"], None)
    code = _end(message["pid"], message["grace_s"])
    _end_orphans(set(children))
    if folder is not None:  # one sandbox may serve hundreds of children
        shutil.rmtree(folder, ignore_errors=True)
    return {"exit": code}


def _fork(message: dict[str, Any], descriptors: list[int], control: socket.socket) -> int:
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            control.close()
            _become(message, descriptors, server)
        finally:
            os._exit(0)
    for descriptor in descriptors:
        os.close(descriptor)
    return pid


def _become(message: dict[str, Any], descriptors: list[int], server: int) -> None:
    """In the child: its own process group, folder, output and limits; then serve."""
    connection, output = descriptors
    os.setsid()
    limits.die_with_parent(server)
    limits.be_dumpable(True)  # its own files in /proc, which libraries read, belong to it again
    folder = Path(message["folder"])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chdir(folder)
    os.environ.update(TMPDIR=str(folder), HOME=str(folder), TRITON_CACHE_DIR=str(folder / "triton"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)
    limits.restrict(message["memory_mb"])
    child.serve(socket.socket(fileno=connection), device="cpu")


def _end(pid: int, grace_s: float) -> int:
    """Wait a moment for the child's own end, then kill its whole group; its exit code."""
    deadline = time.monotonic() + grace_s
    found, status = os.waitpid(pid, os.WNOHANG)
    while not found and time.monotonic() < deadline:
        time.sleep(0.002)
        found, status = os.waitpid(pid, os.WNOHANG)
    try:
        os.killpg(pid, signal.SIGKILL)  # also what the child has left running
    except ProcessLookupError:
        _kill(pid)
    if not found:
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _end_orphans(children: set[int]) -> None:
    """Kill what a child has left behind outside of its group: it was re-parented to this process."""
    mine = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    while mine.exists():
        orphans = {int(word) for word in mine.read_text().split()} - children
        if not orphans:
            return
        for pid in orphans:
            _kill(pid)
            os.waitpid(pid, 0)


def _kill(pid: int) -> None:
    """For the moment between fork and setsid, when the group does not exist yet."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
