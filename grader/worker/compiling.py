"""A call whose launches compile their kernels instead of running them.

    compile  {entry, args, regions} + [inputs]  ->  compiled {kernels, refusal, problem}

A refusal is the compiler's word on the student's text. Whatever else ends the call is a problem: nothing has run, so
values may be missing that the function needs.
"""

from __future__ import annotations

import mmap
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker import report, values
from grader.worker.python_file import PythonFile, regions, view
from shared import triton_compiler
from shared.compiled_kernels import Compiled


def compile_kernels(loaded: PythonFile, message: dict[str, Any], inputs: mmap.mmap | None) -> dict[str, Any]:
    """Call a function with the grader's inputs; what the compiler says of each kernel on the way."""
    lent = regions(message["regions"], inputs)
    arguments = values.unpack(message["args"], lambda tag, content: view(lent[content["region"]], content))
    launches = triton_compiler.begin()
    reads = _Reads(launches)
    refusal, problem = None, ""
    try:
        with reads:
            loaded.function(message["entry"])(*arguments)
    except BaseException as error:
        refusal = triton_compiler.refusal(launches, error, loaded.text)
        if refusal is None or reads.seen:
            refusal, problem = None, f"{type(error).__name__}: {error}"
    kernels = triton_compiler.kernels(launches, loaded.text)
    return report.compiled(Compiled(tuple(kernels), refusal, problem))


class _Reads(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Whether a value was read from a tensor after a launch: what is launched next may depend on what has not run."""

    def __init__(self, launches: triton_compiler.Launches) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._launches = launches
        self.seen = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # to be wrapped against torch.compile takes a second's worth of imports

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._launches.compiled and func._schema.name == "aten::_local_scalar_dense":
            self.seen = True
        return func(*args, **(kwargs or {}))
