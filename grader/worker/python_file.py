"""A student's Python file: imported under its own name, checked for the functions asked for, called with tensors.

Tensors arrive as regions of memory that the grader owns. On the CPU the student's tensors are that memory; on a GPU
they are copies, and changed inputs are copied back so that the grader sees the change.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import mmap
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.worker import remote, report, values
from shared import traffic


def load(
    message: dict[str, Any], source: bytes, device: str, asker: remote.Remote
) -> tuple[PythonFile | None, dict[str, Any] | None]:
    """Import the file; it, or the reply that refuses it.

    The source is written into the worker's own folder, unless the message names where it lies (debugging in place).
    """
    path = Path(message.get("path") or message["file"]).resolve()
    if "path" not in message:
        path.write_bytes(source)
    try:
        module = import_file(path)
    except SyntaxError as error:
        if Path(error.filename or "").name != path.name:
            raise
        return None, report.unbuilt([[error.lineno, "error", error.msg]])
    refusal = _check(module, message["entries"], path.name)
    return PythonFile(module, device, asker), refusal


def import_file(path: Path) -> ModuleType:
    """Import a file by its path, as the module of its own name."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _check(module: ModuleType, entries: list[Any], file: str) -> dict[str, Any] | None:
    """The reply that refuses a file without the functions asked for, or with other parameters."""
    for name, parameters, declaration in entries:
        function = getattr(module, name, None)
        if not callable(function):
            return report.invalid(f"{file} defines no function {name}", _hint(module, name))
        problem = _misfit(function, parameters)
        if problem:
            diagnosis = f"expected {declaration}; found {problem}"
            return report.invalid(f"{name} takes other parameters than asked for", diagnosis)
    return None


def _hint(module: ModuleType, name: str) -> str:
    own = [key for key, value in vars(module).items() if callable(value) and key[0] != "_"]
    near = difflib.get_close_matches(name, own, n=1, cutoff=0.6)
    if near:
        return f"it defines {near[0]}: rename it to {name}"
    return f"define it at the top level of the file, with exactly this name: {name}"


def _misfit(function: Callable[..., Any], parameters: list[str]) -> str:
    """What the signature is, if the call with these parameters would not fit it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""  # a callable without a signature: the call itself will tell
    try:
        signature.bind(*parameters)
    except TypeError:
        return f"{getattr(function, '__name__', 'it')}{signature}"
    return ""


class PythonFile:
    """A loaded file; `call` runs its functions, `fetch` hands out the results."""

    def __init__(self, module: ModuleType, device: str, asker: remote.Remote) -> None:
        """Keep the module; results of the last call wait in `_results` for a fetch."""
        self._module = module
        self._device = device
        self._remote = asker
        self._results: list[Any] = []
        self._inputs: list[tuple[Any, Any]] = []  # (the grader's memory, the copy on the GPU)

    def call(self, message: dict[str, Any], inputs: mmap.mmap | None) -> dict[str, Any]:
        """Run one function; the reply describes its result, or what a kernel did wrong on the way."""
        lent = self._regions(message["regions"], inputs)
        views: list[Any] = []

        def incoming(tag: str, content: Any) -> Any:
            if tag == "tensor":
                views.append(view(lent[content["region"]], content))
                return views[-1]
            if tag == "callback":
                return self._remote.function(content)
            if tag == "object":
                return self._remote.object(content)
            return _workload(content)

        args = values.unpack(message["args"], incoming)
        kwargs = values.unpack(message["kwargs"], incoming)
        self._results = []
        checks = sys.modules.get("shared.triton_checks")  # imported where Triton is interpreted
        if checks is not None:
            checks.begin(views, counts=message["traffic"])
        try:
            with contextlib.nullcontext() if checks is None else checks.triton_unwritten.following():
                value, seen = self._run(message, args, kwargs)
        except BaseException:
            if checks is None or checks.current().fault is None:
                raise
        if checks is not None and checks.current().fault is not None:
            return report.faulted(checks.current().fault, message["file"])  # whatever the student's code has caught
        packed = values.pack(value, self._outgoing)
        self._finish()
        return {"op": "returned", "value": packed, "fault": None, **seen, **_moved(checks)}

    def _run(self, message: dict[str, Any], args: Any, kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """The function's result, and what was counted on the way where the grader asks for it."""
        function = self.function(message["entry"])
        if message.get("evidence") is None:
            return function(*args, **kwargs), {}
        from grader.worker import instruments

        with instruments.watching(message["file"], message["evidence"]["run_kernels"]) as counts:
            value = function(*args, **kwargs)
            return value, counts()

    @property
    def text(self) -> str:
        """The file as it lies in the worker's folder."""
        return Path(str(self._module.__file__)).read_text(encoding="utf-8")

    def function(self, entry: str) -> Callable[..., Any]:
        """An entry point, to be called many times in a row."""
        found: Callable[..., Any] = getattr(self._module, entry)
        return found

    def fetch(self, message: dict[str, Any], outputs: mmap.mmap) -> None:
        """Copy results to the offsets the grader chose in its memory."""
        import torch

        memory = torch.frombuffer(outputs, dtype=torch.uint8)
        for index, offset in message["outputs"]:
            result = self._results[index].detach()
            plain = torch.empty(result.shape, dtype=result.dtype)  # whatever strides the result has
            raw = plain.copy_(result).reshape(-1).view(torch.uint8)
            memory[offset : offset + raw.numel()].copy_(raw)

    def _regions(self, lent: list[list[int]], inputs: mmap.mmap | None) -> list[Any]:
        """The lent memory where the student's code may use it: in place, or as copies on the GPU."""
        own = regions(lent, inputs)
        if self._device == "cpu":
            return own
        copies = [region.to(self._device) for region in own]
        self._inputs = list(zip(own, copies, strict=True))
        return copies

    def _finish(self) -> None:
        """On a GPU: wait for it, and show the grader what became of the inputs."""
        if self._device == "cpu":
            return
        import torch

        torch.cuda.synchronize()
        for region, copy in self._inputs:
            region.copy_(copy)

    def _outgoing(self, value: Any) -> Any:
        if isinstance(value, remote.StandIn):
            return {"object": [value._class, value._handle]}
        if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
            return values.pack(value.item(), self._outgoing)  # a numpy scalar
        described = self._described(value)
        if described is not None:
            return {"tensor": described}
        return {"other": type_name(value)}

    def _described(self, value: Any) -> dict[str, Any] | None:
        """The claim about a plain, strided tensor; None for anything else."""
        torch = sys.modules.get("torch")
        if torch is None or type(value) is not torch.Tensor or value.layout is not torch.strided:
            return None
        self._results.append(value)
        return {
            "index": len(self._results) - 1,
            "dtype": str(value.dtype).removeprefix("torch."),
            "shape": list(value.shape),
            "device": value.device.type,
        }


def regions(lent: list[list[int]], inputs: mmap.mmap | None) -> list[Any]:
    """One flat uint8 tensor, with a storage of its own, for each region (offset, size) of the lent memory."""
    if not lent:
        return []
    import torch

    return [
        torch.frombuffer(inputs, dtype=torch.uint8, count=size, offset=offset)
        if size and inputs is not None
        else torch.empty(0, dtype=torch.uint8)
        for offset, size in lent
    ]


def _moved(checks: Any) -> dict[str, Any]:
    """What the checks of accesses have counted in this call, where the grader asks for it and they can."""
    meter = None if checks is None else checks.current().meter
    return {} if meter is None else {"traffic": traffic.pack(meter.traffic())}


def type_name(value: Any) -> str:
    """The type's name for a message, with the tensor class it derives from."""
    cls = type(value)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        kind = "a sparse tensor" if cls is torch.Tensor else "a subclass of torch.Tensor"
        return f"{cls.__qualname__}, {kind}"[:200]
    name = cls.__qualname__
    return (name if cls.__module__ == "builtins" else f"{cls.__module__}.{name}")[:200]


def view(region: Any, content: dict[str, Any]) -> Any:
    """The tensor with the grader's shape and strides over a region."""
    import torch

    dtype = getattr(torch, content["dtype"])
    flat = region.view(dtype) if region.numel() else region.new_empty(0, dtype=dtype)
    return flat.as_strided(content["shape"], content["strides"], content["offset"])


def _workload(content: dict[str, Any]) -> Any:
    """Work that must run in this process: a function of `shared.workloads`, by name."""
    workloads = importlib.import_module("shared.workloads")
    return getattr(workloads, content["name"])(**content["arguments"])
