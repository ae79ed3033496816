"""Load one student's file and answer calls, until the grader closes the connection.

load   + [source]            ->  loaded | invalid | unbuilt | raised      with the built library for a `.cu` file
build  + [source, library]   ->  built | unbuilt                          a `.cu` file, once, into the grader's memory
call   + [inputs]            ->  returned | raised                        with callbacks in between
compile + [inputs or source] ->  compiled                                 what a GPU's compiler says of the kernels
fetch  + [outputs]           ->  fetched                                  results into memory of the grader
"""

from __future__ import annotations

import mmap
import os
import socket
import sys
from typing import Any

from grader.worker import remote, report, wire


def serve(connection: socket.socket, device: str) -> None:
    """Answer requests one by one. Whatever the student's code raises becomes a reply."""
    worker = Child(remote.Remote(remote.over(connection)), device)
    while True:
        try:
            message, descriptors = wire.receive(connection)
        except (wire.WireError, OSError):
            return
        reply = worker.answer(message, descriptors)
        flush()
        try:
            wire.send(connection, reply)
        except (wire.WireError, ValueError) as error:  # a result too large to travel, or to be written as text
            wire.send(connection, report.raised(error, message.get("file", "")))


def flush() -> None:
    """Let the student's prints arrive before the reply does."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue  # the student closed or replaced it


class Child:
    """Answers the requests about one student's file."""

    def __init__(self, asker: remote.Remote, device: str) -> None:
        """Nothing is loaded yet."""
        self.device = device
        self.remote = asker
        self.loaded: Any = None  # a PythonFile, CpuFile or GpuFile: the file's kind is known when it comes
        self.track: Any = None

    def answer(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """The reply to one request; closes the descriptors that came with it."""
        handler = {
            "load": self._load,
            "build": self._build,
            "call": self._call,
            "compile": self._compile,
            "fetch": self._fetch,
            "share": self._share,
            "hold": self._hold,
            "collect": self._collect,
            "prepare": self._prepare,
            "batch": self._batch,
            "name": self._name,
            "profile": self._profile,
        }[message["op"]]
        try:
            return handler(message, descriptors)
        except BaseException as error:
            return {**report.raised(error, message.get("file", "")), "broken": self._is_broken()}
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _is_broken(self) -> bool:
        """Whether the CUDA context is lost, as after an illegal access: every later call would fail too."""
        if self.device != "cuda":
            return False
        import torch

        try:
            torch.cuda.synchronize()
        except RuntimeError:
            return True
        return False

    def _build(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        from grader.worker import cuda_file

        memory = _map(descriptors[1:])
        assert memory is not None
        return cuda_file.build(message, read(descriptors[0]), memory)

    def _load(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        if message["file"].endswith(".cu"):
            from grader.worker import cuda_file

            self.loaded = cuda_file.load(message, self.device, read(descriptors[1]))
            return {"op": "loaded"}
        from grader.worker import python_file

        self.remote.install(message["replacements"])
        self.loaded, refusal = python_file.load(message, read(descriptors[0]), self.device, self.remote)
        return refusal or {"op": "loaded"}

    def _call(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        reply: dict[str, Any] = self.loaded.call(message, _map(descriptors))
        return reply

    def _compile(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        if message["file"].endswith(".cu"):
            from grader.worker import nvcc

            return nvcc.compile_kernels(message, read(descriptors[0]))
        from grader.worker.compiling import compile_kernels

        return compile_kernels(self.loaded, message, _map(descriptors))

    def _fetch(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        memory = _map(descriptors)
        if memory is not None:
            self.loaded.fetch(message, memory)
        return {"op": "fetched"}

    def _share(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        from grader.worker.batch import Track

        if self.track is not None:
            self.track.close()
        self.track = Track(message)
        return {"op": "shared"}

    def _hold(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        from grader.worker.batch import Track

        if self.track is not None:
            self.track.close()
        self.track = Track(message, _map(descriptors))
        return {"op": "held"}

    def _collect(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        reply: dict[str, Any] = self.track.collect(message["outputs"], _map(descriptors))
        return reply

    def _prepare(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        reply: dict[str, Any] = self.track.prepare(message["count"])
        return reply

    def _batch(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        reply: dict[str, Any] = self.track.run(self.loaded.function(message["entry"]))
        return reply

    def _profile(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        function = self.loaded.function(message["entry"])
        reply: dict[str, Any] = self.track.profile(function, message["count"], message["file"])
        return reply

    def _name(self, message: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        reply: dict[str, Any] = self.track.name()
        return reply


def read(descriptor: int) -> bytes:
    """The whole memory behind a descriptor."""
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def _map(descriptors: list[int]) -> mmap.mmap | None:
    if not descriptors:
        return None
    return mmap.mmap(descriptors[0], os.fstat(descriptors[0]).st_size)
