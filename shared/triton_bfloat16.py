"""bfloat16 in Triton's interpreter as a GPU computes it.

The interpreter keeps bfloat16 as 16-bit integers and computes on the integers: 1 + 1 gives 1.7e38. It also
truncates a float32 to bfloat16, where a GPU rounds to nearest even. A right kernel must not fail for that, so here
bfloat16 operands are widened to float32, computed, and rounded back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

Array = np.ndarray[Any, np.dtype[Any]]

_HALF_BELOW = np.uint32(0x7FFF)  # with the last kept bit added: round half to even


def correct() -> None:
    """Correct the interpreter of this process, once."""
    builder = interpreter.InterpreterBuilder
    for name in ("binary_op", "unary_op", "ternary_op"):
        setattr(builder, name, _computing_in_float32(getattr(builder, name)))
    for name in ("create_fma", "create_rsqrt", "create_dot"):
        setattr(builder, name, _widening_handles(getattr(builder, name)))
    reductions = interpreter.ReduceOps
    reductions.sum = _reducing_in_float32(reductions.sum)
    builder.cast_impl = _casting(builder.cast_impl)
    builder.create_fp_to_fp = _casting(builder.create_fp_to_fp)
    builder.get_bf16 = _constant  # the interpreter has none: `0.5 * x` would raise


def widen(bits: Array) -> Array:
    """bfloat16, as its 16 bits, to float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def narrow(values: Array) -> Array:
    """float32 to the 16 bits of bfloat16, rounded to nearest even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = bits + _HALF_BELOW + ((bits >> np.uint32(16)) & np.uint32(1))
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    return np.where(np.isnan(values), quiet, rounded >> np.uint32(16)).astype(np.uint16)


def _constant(_: Any, value: float) -> Any:
    """A number of the kernel's text, in the dtype of the tensor beside it."""
    return interpreter.TensorHandle(narrow(np.array([value], dtype=np.float32)), tl.bfloat16)


def _is_bfloat16(value: Any) -> bool:
    """Whether a tensor or handle holds bfloat16 (a comparison of two keeps their dtype, but holds booleans)."""
    if value.dtype.scalar != tl.bfloat16:
        return False
    return bool(getattr(value, "handle", value).data.dtype == np.uint16)


def _computing_in_float32(method: Callable[..., Any]) -> Callable[..., Any]:
    """For methods whose last argument is the numpy function to apply."""

    def corrected(self: Any, *arguments: Any) -> Any:
        *handles, function = arguments
        which = [_is_bfloat16(handle) for handle in handles]
        if not any(which):
            return method(self, *arguments)

        def in_float32(*data: Array) -> Array:
            wide = [widen(d) if w else d for d, w in zip(data, which, strict=True)]
            result = function(*wide)
            return narrow(result) if result.dtype == np.float32 else result

        return method(self, *handles, in_float32)

    return corrected


def _widening_handles(method: Callable[..., Any]) -> Callable[..., Any]:
    """For methods that compute on the data of their handles themselves."""

    def corrected(self: Any, *handles: Any, **options: Any) -> Any:
        if not any(_is_bfloat16(h) for h in handles if isinstance(h, interpreter.TensorHandle)):
            return method(self, *handles, **options)
        result = method(self, *(_widened(handle) for handle in handles), **options)
        tensors = [h for h in handles if isinstance(h, interpreter.TensorHandle)]
        if _is_bfloat16(tensors[-1]):  # the last one decides the result's type: of fma, rsqrt and dot
            return interpreter.TensorHandle(narrow(result.data), tl.bfloat16)
        return result

    return corrected


def _widened(handle: Any) -> Any:
    if not isinstance(handle, interpreter.TensorHandle) or not _is_bfloat16(handle):
        return handle
    return interpreter.TensorHandle(widen(handle.data), tl.float32)


def _reducing_in_float32(method: Callable[..., Any]) -> Callable[..., Any]:
    """A sum of bfloat16 is taken in float32 and rounded once."""

    def corrected(self: Any, tensor: Any) -> Any:
        if not _is_bfloat16(tensor):
            return method(self, tensor)
        wide = np.sum(widen(tensor.handle.data), axis=self.axis, keepdims=self.keep_dims)
        return self.to_tensor(narrow(np.asarray(wide)), tensor.dtype)

    return corrected


def _casting(method: Callable[..., Any]) -> Callable[..., Any]:
    """Casts from and to bfloat16 go through float32; everything else is left alone."""

    def corrected(self: Any, source: Any, target: Any, *rest: Any) -> Any:
        from_bfloat16, to_bfloat16 = _is_bfloat16(source), target.scalar == tl.bfloat16
        if from_bfloat16 == to_bfloat16:
            return method(self, source, target, *rest)
        if from_bfloat16:
            wide = interpreter.TensorHandle(widen(source.data), tl.float32)
            return wide if target.scalar == tl.float32 else method(self, wide, target, *rest)
        single = source.data.astype(np.float32)
        return interpreter.TensorHandle(narrow(single), tl.bfloat16)

    return corrected
