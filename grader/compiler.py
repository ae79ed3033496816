"""The compiler's step of the pipeline: what a GPU's compiler says of kernels that ran on the CPU. No GPU is needed.

Triton's interpreter runs any Python, and g++ compiles what nvcc does not; a GPU's compiler has the last word. So a
submission that passes here is also compiled, in a worker of its own and beside its tests: what the compiler refuses
would earn nothing on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from types import TracebackType
from typing import Any

from grader import rules
from grader.boundary.workers import Workers
from grader.exercise import Exercise
from grader.records import Failure, Finding, Setting
from grader.status import Status
from shared import triton_refusals
from shared.compiled_kernels import Compiled, Refusal

_INTERPRETED = "it runs in the interpreter, but a GPU's compiler refuses it"
MAX_REASON = 300
"""Characters of what the compiler says, as many as an honest worker sends."""


class Compiler:
    """A compilation that goes on beside the tests; leaving the context waits for its end."""

    def __init__(self, exercise: Exercise, text: str, seed: int, workers: Workers) -> None:
        """Begin; nothing is waited for."""
        # These bring torch and pytest, which two threads should not import at one time.
        import grader.boundary.compiling
        import grader.testing.run  # noqa: F401

        def work() -> Compiled:
            try:
                return _asked(exercise, text, seed, workers)
            except Failure as failure:
                return Compiled(problem=failure.finding.summary)
            except Exception as error:  # ours: it costs the student nothing
                return Compiled(problem=_in_a_line(error))

        self._future: Future[Compiled] = workers.beside(work)

    def __enter__(self) -> Compiler:
        """The compilation itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for the end of what was begun."""
        self._future.exception()

    def result(self) -> Compiled:
        """What the compiler said."""
        return self._future.result()


def _asked(exercise: Exercise, text: str, seed: int, workers: Workers) -> Compiled:
    """nvcc on the file, or Triton on a call with the inputs of the first efficiency case: they are small."""
    from grader.boundary import compiling

    if exercise.is_cuda:
        return compiling.by_nvcc(exercise, text, workers)
    return compiling.compiled(exercise, text, _inputs(exercise, seed), workers)


def _in_a_line(error: Exception) -> str:
    """What it says first and, where it brings the words of a process, last."""
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {' … '.join(dict.fromkeys((lines[0].strip(), lines[-1].strip())))}"


def _inputs(exercise: Exercise, seed: int) -> tuple[Any, ...]:
    from grader.testing.inputs import Make
    from grader.testing.run import load_reference

    case = exercise.efficiency[0]
    make_inputs: Callable[..., tuple[Any, ...]] = load_reference(exercise).make_inputs
    return make_inputs(Make(seed, exercise.name, case.name), **case.arguments)


def applied(exercise: Exercise, settings: Sequence[Setting], compiled: Compiled, text: str) -> list[Setting]:
    """The settings of a run: what passed on the CPU earns nothing where a GPU's compiler refuses a kernel.

    Triton's interpreter can also object to what the compiler accepts, since it knows less of the language: a setting
    that raised inside of Triton while `compiled` has no refusal would become `not_measured` here.
    """
    if compiled.refusal is None:
        return list(settings)
    finding = refused(exercise.file, text, compiled.refusal)
    return [replace(s, finding=finding) if s.finding.status is Status.PASSED else s for s in settings]


def refused(file: str, text: str, refusal: Refusal) -> Finding:
    """The finding for a kernel that is refused; the line's text is taken from the submission, never from the worker."""
    is_there = 0 < refusal.line <= len(text.splitlines())
    return Finding(
        Status.COMPILE_ERROR,
        "it runs on the CPU, but nvcc refuses it" if file.endswith(".cu") else _INTERPRETED,
        details=refusal.reason[:MAX_REASON],
        diagnosis=triton_refusals.ADVICE.get(refusal.kind, ""),
        lines=(rules.place(file, text, refusal.line),) if is_there else (),
    )
