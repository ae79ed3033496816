"""Corrections of Triton's interpreter where it disagrees with what a GPU computes, and checks of what it accesses.

bfloat16 is corrected in `shared.triton_bfloat16`. Accesses outside of a kernel's tensors, which the interpreter
performs, go through `shared.triton_checks`: the names that `_check_accesses` uses are the same from Triton 3.5 to 3.9.

All knowledge of the interpreter's inside is in these two modules; their tests run real kernels.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime import interpreter

from shared import triton_bfloat16, triton_checks, triton_device, triton_unwritten
from shared.triton_bfloat16 import Array


def correct() -> None:
    """Correct the interpreter of this process, once."""
    triton_bfloat16.correct()
    triton_device.stand_in(triton_checks.trial)
    interpreter._patch_lang = _seeing_imported_names(interpreter._patch_lang)
    interpreter._logical = _logical  # every global of this module can be named in a kernel
    interpreter.FunctionRewriter.ast_transformer = _Transformer(interpreter.FunctionRewriter.ast_transformer)
    _check_accesses()


class _Transformer(ast.NodeTransformer):
    """Before the interpreter's own changes to a kernel: `and` and `or`, for Python's give one of two blocks."""

    def __init__(self, own: Any) -> None:
        """`own` is the interpreter's transformer."""
        self._own = own

    def visit_Module(self, node: ast.Module) -> Any:
        """The whole text of a kernel."""
        return self._own.visit(self.generic_visit(node))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """`_logical(True, lambda: a, lambda: b)` for `a and b`."""
        self.generic_visit(node)
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        parts = [ast.Lambda(args=nothing, body=value) for value in node.values]
        is_and = ast.Constant(value=isinstance(node.op, ast.And))
        return ast.copy_location(ast.Call(ast.Name("_logical", ast.Load()), [is_and, *parts], []), node)


def _logical(is_and: bool, *parts: Callable[[], Any]) -> Any:
    """`and` or `or` as the compiler has it: lane by lane for tensors, and with what is none in front of them."""
    found: Any = None
    for part in parts:
        value = part()
        if not isinstance(value, tl.tensor):
            if bool(value) != is_and:
                return value
        elif found is None:
            found = value
        else:
            found = found.logical_and(value) if is_and else found.logical_or(value)
    return value if found is None else found


def _seeing_imported_names(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Names imported from `triton.language` are looked up when they are called, as `tl.` names are."""

    def corrected(function: Any) -> Any:
        names = function.__globals__
        for name, value in list(names.items()):
            if callable(value) and tl.core.is_builtin(value) and hasattr(tl, value.__name__):
                names[name] = _late(value.__name__)
        if not any(value is tl or value is tl.core for value in names.values()):
            names["__triton_language__"] = tl  # the interpreter looks for the module among the globals
        return method(function)

    return corrected


def _late(name: str) -> Callable[..., Any]:
    return lambda *args, **kwargs: getattr(tl, name)(*args, **kwargs)


class _CheckedMemory:
    """Takes the place of the interpreter's native functions; accesses of a launch go through its checks."""

    def __init__(self, native: Any) -> None:
        """`native` is the extension module."""
        self._native = native
        self.launch: triton_checks.Launch | None = None
        self.names: list[tuple[Any, str]] = []  # the launch's arguments on the host, with their parameters

    def __getattr__(self, name: str) -> Any:
        """Everything that touches no memory."""
        return getattr(self._native, name)

    def load(self, addresses: Any, mask: Any, other: Any, dtype: Any) -> Any:
        assert self.launch is not None
        return self.launch.load(addresses, mask, other, dtype)

    def store(self, addresses: Any, value: Any, mask: Any) -> None:
        assert self.launch is not None
        self.launch.store(addresses, value, mask)

    def atomic_rmw(self, operation: Any, addresses: Any, value: Any, mask: Any, order: Any) -> Any:
        def run(real: Array, active: Array) -> Any:
            return self._native.atomic_rmw(operation, real, value, active, order)

        assert self.launch is not None
        is_exchange = operation == self._native.RMW_OP.XCHG
        return self.launch.atomic(addresses, value, mask, run, is_exchange)

    def atomic_cas(self, addresses: Any, expected: Any, value: Any, order: Any) -> Any:
        def run(real: Array, active: Array) -> Any:
            found = np.zeros_like(value)  # the native function has no mask
            found[active] = self._native.atomic_cas(real[active], expected[active], value[active], order)
            return found

        assert self.launch is not None
        return self.launch.atomic(addresses, value, True, run)


def _check_accesses() -> None:
    """Show kernels virtual addresses, and put the checks between them and the memory."""
    native, executor = interpreter._interpreter, interpreter.GridExecutor
    memory = _CheckedMemory(native)
    call, to_host, to_value = executor.__call__, executor._init_args_hst, interpreter._implicit_cvt
    builder = interpreter.interpreter_builder

    def place() -> tuple[Any, Any]:
        return builder.grid_idx, tuple(map(index, builder.grid_dim))  # a grid may be made of a kernel's arguments

    def launch(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("warmup"):
            return call(self, *args, **kwargs)
        outer = memory.launch, memory.names
        file = self.fn.__code__.co_filename
        memory.launch = triton_checks.Launch(file, native, place)
        try:
            call(self, *args, **kwargs)
            memory.launch.end()
        except interpreter.InterpreterError as error:
            raise _reason(error) from None
        finally:
            memory.launch, memory.names = outer

    def host_arguments(self: Any, args: Any, kwargs: Any) -> Any:
        triton_unwritten.arguments((args, kwargs))
        found = to_host(self, args, kwargs)
        memory.names = [*zip(found[0], self.arg_names, strict=False), *((v, name) for name, v in found[1].items())]
        return found

    def value(argument: Any) -> Any:
        found = to_value(argument)
        if hasattr(argument, "data_ptr"):
            assert memory.launch is not None
            tensor = argument if isinstance(argument, torch.Tensor) else argument.base  # of triton.reinterpret
            address = memory.launch.add(_parameter(memory.names, argument), tensor)
            found.handle.data = np.array([address], np.uint64)
        return found

    interpreter._interpreter = memory
    executor.__call__, executor._init_args_hst, interpreter._implicit_cvt = launch, host_arguments, value


def _parameter(names: list[tuple[Any, str]], argument: Any) -> str:
    """The parameter that a tensor was passed as, alone, in a tuple or in a tensor descriptor."""
    for value, name in names:
        parts = value if isinstance(value, tuple) else (value,)
        for position, part in enumerate(parts):
            if part is argument or getattr(part, "base", None) is argument:
                return f"{name}[{position}]" if isinstance(value, tuple) else name
    return "a tensor"


def _reason(error: BaseException) -> BaseException:
    """The fault that the interpreter has wrapped, or the error as it is."""
    link: BaseException | None = error
    while link is not None and not isinstance(link, triton_checks.KernelFault):
        link = link.__cause__
    return link or error


@triton.jit  # type: ignore[untyped-decorator]
def _add_one(x_ptr, num_elements, BLOCK_SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(x_ptr + offsets, x + 1 + 0 * tl.sum(x, axis=0), mask=mask)


def warm_up() -> None:
    """Run a kernel once: what Triton imports and compiles at its first launch is then inherited by every fork."""
    _add_one[(1,)](torch.zeros(3), 3, BLOCK_SIZE=4)
