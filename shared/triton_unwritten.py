"""Which elements of new tensors nobody has written yet, while a student's function runs.

`torch.empty` gives memory as it was left. A tensor that comes from it is followed by its storage: what kernels store is
marked element by element; as soon as torch, numpy or anybody but a kernel may have written to it, it is no longer
followed, and so never called unwritten wrongly. Functions that only look at a tensor, or make a view, change nothing;
what compiled code does unseen shows in torch's own count of changes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
import triton
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode

Array = np.ndarray[Any, np.dtype[Any]]

_NEW = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
_LOOKING = _NEW | {
    *("__get__", "__getitem__", "__len__", "size", "stride", "dim", "numel", "nelement", "element_size", "get_device"),
    *("storage_offset", "is_contiguous", "is_floating_point", "view", "view_as", "reshape", "flatten", "unflatten"),
    *("transpose", "t", "permute", "movedim", "swapaxes", "squeeze", "unsqueeze", "expand", "expand_as", "narrow"),
    *("select", "split", "chunk", "unbind", "as_strided", "detach", "contiguous", "clone", "zeros_like"),
}
_OF_LAUNCHES = {"data_ptr", "untyped_storage", "new_empty", "set_"}  # as Triton and our checks use them
_OURS = (str(Path(triton.__file__).parent), str(Path(__file__).parent / "triton_"))

_weak: Any = StorageWeakRef  # it has no types
_followed: dict[int, tuple[Any, Array, int]] = {}  # by address: is it still the one, bytes written, torch's count


@contextmanager
def following() -> Iterator[None]:
    """Follow the tensors that are made meanwhile; none where other threads could write, for they are not seen."""
    start = threading.Thread.start

    def seen(thread: threading.Thread) -> None:
        _followed.clear()
        mode.is_blind = True
        start(thread)

    mode = _Mode()
    mode.is_blind = threading.active_count() > 1
    _followed.clear()
    threading.Thread.start = seen  # type: ignore[method-assign, assignment]
    try:
        with mode:
            yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]
        _followed.clear()


def missing(memory: int, positions: Array, size: int) -> Array | None:
    """Which elements, by their bytes from the start of the storage, nobody has written; None if none is known."""
    cells = _cells(memory, positions, size)
    return None if cells is None else cells[positions // size] != -1


def mark(memory: int, positions: Array, size: int) -> None:
    """These elements have been written."""
    cells = _cells(memory, positions, size)
    if cells is not None:
        cells[positions // size] = -1


def arguments(values: Any) -> None:
    """A kernel is about to be launched with these arguments."""
    with torch._C.DisableTorchFunction():
        _forget(values, only_changed=True)


def _cells(memory: int, positions: Array, size: int) -> Array | None:
    if memory not in _followed:
        return None
    storage, written, _ = _followed[memory]
    if storage.expired() or (positions % size).any():
        del _followed[memory]
        return None
    return written[: written.size // size * size].view(f"i{size}")


class _Mode(TorchFunctionMode):
    """Sees every function of torch that is called with a tensor, or makes one."""

    is_blind = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        if _followed and name not in _LOOKING:
            caller = sys._getframe(1).f_code.co_filename
            if not (name in _OF_LAUNCHES and caller.startswith(_OURS)):
                _forget((args, kwargs))
        found = func(*args, **kwargs)
        if name in _NEW and "out" not in kwargs and not self.is_blind:
            _follow(found)
        return found


def _follow(tensor: torch.Tensor) -> None:
    storage = tensor.untyped_storage()
    if tensor.device.type == "cpu" and storage.nbytes() and not tensor.is_inference():
        _followed[storage.data_ptr()] = (_weak(storage), np.zeros(storage.nbytes(), np.int8), tensor._version)


def _forget(value: Any, only_changed: bool = False) -> None:
    """Stop following the tensors in there, or those that torch has changed since they were made."""
    if isinstance(value, torch.Tensor):
        if value.layout is torch.strided:
            address = value.untyped_storage().data_ptr()
            known = _followed.get(address)
            if known and not (only_changed and not value.is_inference() and value._version == known[2]):
                del _followed[address]
    elif isinstance(value, dict):
        _forget(tuple(value.values()), only_changed)
    elif isinstance(value, (tuple, list)):
        for part in value:
            _forget(part, only_changed)
    elif hasattr(value, "base"):  # a tensor descriptor, or a tensor of another type
        _forget(value.base, only_changed)
