"""Checks of every memory access that a Triton kernel makes in the interpreter; `shared.triton_traffic` counts them.

A GPU uses whatever address a kernel gives; so does the interpreter, in this very process. Here a bad address is refused
before it is used: it cannot pass unnoticed, nor reach a neighbour, nor end the process.

- **Addresses are virtual.** Each tensor argument of a launch gets a base 2**52 bytes from the next one's, so an address
  says which argument it was made from, however wrong the offset is. It is translated back when it is used.
- **Bounds.** An active lane (its mask is true) must lie in the storage of its argument. Of a tensor that the grader
  lent (`begin`), it must also be an element of the lent view: the memory between its rows is nobody's business.
- **Races.** Where two programs of a launch store one element, or two lanes of one `tl.store`, the values must be the
  same. A program that has used an atomic may be in order with the others by it: its stores are not compared.
- **The first fault ends the launch** (a race at its end: a bad address tells more), and stays in `current().fault`
  where the student's code catches the exception.

- **Unwritten memory.** What a lane loads or updates of a tensor that `torch.empty` made must have been stored by a
  kernel; see `shared.triton_unwritten` for which tensors that is known of.

Accesses are checked as whole numpy arrays; `shared.triton_interpreter` makes the interpreter ask. Not seen: reads of
what another program of the launch writes. Refused, though right on a GPU: addresses that are passed as numbers, and
loads of unwritten elements whose values are then thrown away.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import numpy as np
import torch

from shared import triton_unwritten
from shared.triton_traffic import Meter

Array = np.ndarray[Any, np.dtype[Any]]

_SHIFT = 52  # each argument has a window of 2**52 addresses; window 0 holds the process's own


class KernelFault(Exception):
    """What a kernel did wrong; the text says where and how."""

    kind = "memory"  # or padding, race, uninitialised


@dataclass
class Call:
    """What is known of a call of a student's function."""

    meter: Meter | None = None  # where what it moves is counted
    is_trial: bool = False  # of autotuning: not counted
    fault: KernelFault | None = None  # the first one, whatever became of the exception
    lent: dict[int, tuple[torch.Tensor, Array]] = field(default_factory=dict)  # views, and all elements that they own

    @property
    def counter(self) -> Meter | None:
        """What counts at this moment."""
        return None if self.is_trial else self.meter


_call = Call()


def begin(lent: Sequence[torch.Tensor] = (), *, counts: bool = False) -> None:
    """A call of a student's function begins, with these views of memory that the grader lends."""
    global _call
    _call = Call(Meter() if counts else None)
    for view in lent:
        # numpy's zeros take memory page by page as they are used: a view may span far more than it owns.
        storage, item = view.untyped_storage(), view.element_size()
        first, owned = _call.lent.setdefault(storage.data_ptr(), (view, np.zeros(storage.nbytes() // item, np.bool_)))
        if first.element_size() != item:
            owned.fill(True)  # elements of two sizes: not told apart
            continue
        torch.from_numpy(owned).as_strided(view.shape, view.stride(), view.storage_offset()).fill_(True)
    _call.lent = {address: (view, owned) for address, (view, owned) in _call.lent.items() if not owned.all()}


def current() -> Call:
    """The call under way, or the last one."""
    return _call


def trial(run: Callable[[], Any]) -> None:
    """A run for autotuning: checked, and not counted."""
    _call.is_trial = True
    try:
        run()
    finally:
        _call.is_trial = False


@dataclass(frozen=True)
class _Argument:
    """One tensor argument: where the kernel sees its first element (`base`), and what it is a view of."""

    name: str
    base: int
    tensor: torch.Tensor
    memory: int  # where its storage begins
    num_bytes: int  # of the storage

    def at(self, offsets: Array) -> str:
        """`x_ptr[3]` or `x_ptr[3 … 8]`: the elements that lie these bytes from the first, and all between them."""
        ends = sorted({int(end) // self.tensor.element_size() for end in (offsets.min(), offsets.max())})
        return f"{self.name}[{' … '.join(map(str, ends))}]"


class _Access:
    """The lanes of one access that were made from one argument."""

    def __init__(self, argument: _Argument, addresses: Array, mask: Array, active: Array) -> None:
        """`active` are the addresses in the mask; the others point anywhere."""
        moved = argument.base - int(argument.tensor.data_ptr())
        self.argument, self.mask = argument, mask
        self.real = np.subtract(addresses, np.uint64(moved))
        self.offsets = (active - np.uint64(argument.base)).view(np.int64)  # bytes from the first element
        self.positions = self.offsets + (argument.base - moved - argument.memory)  # bytes from the storage's start


class Launch:
    """The tensors of one launch, and who has stored what."""

    def __init__(self, file: str, native: Any, place: Callable[[], tuple[Any, Any]]) -> None:
        """`file` defines the kernel, `native` is the interpreter's memory, `place` the program's index and the grid."""
        self._file, self._native, self._place = file, native, place
        self._arguments: list[_Argument] = []
        self._writers: dict[tuple[int, int], Array] = {}  # by storage and size of element: the program, or 0
        self._synchronised: set[int] = set()  # programs that have used an atomic
        self._race: KernelFault | None = None
        if _call.counter is not None:
            _call.counter.launches += 1

    def add(self, name: str, tensor: torch.Tensor) -> int:
        """A tensor argument: the address that the kernel sees instead of the tensor's own."""
        storage = tensor.untyped_storage()
        base = (len(self._arguments) + 1 << _SHIFT) + (tensor.data_ptr() & 0xFFF)  # aligned as it was
        self._arguments.append(_Argument(name, base, tensor, storage.data_ptr(), storage.nbytes()))
        return base

    def load(self, addresses: Any, mask: Any, other: Any, dtype: Any) -> Any:
        """What `tl.load` finds at these addresses; `other` where the mask is false."""
        found = None
        for access in self._accesses(addresses, mask, np.dtype(dtype).itemsize, "loads"):
            self._must_be_written(access, np.dtype(dtype).itemsize, "loads")
            found = self._native.load(access.real, access.mask, other if found is None else found, dtype)
        return self._native.load(addresses, mask, other, dtype) if found is None else found

    def store(self, addresses: Any, value: Any, mask: Any) -> None:
        """What `tl.store` does."""
        value = np.broadcast_to(value, np.shape(addresses))
        size = value.itemsize
        for access in self._accesses(addresses, mask, size, "stores"):
            key = (access.argument.memory, size)
            if key not in self._writers:
                self._writers[key] = np.zeros(access.argument.num_bytes // size + 1, np.int32)
            writers, indices, program = self._writers[key], access.positions >> (size.bit_length() - 1), self._program()
            before = writers[indices]
            others = (before != 0) & (before != program)
            if others.any() and program not in self._synchronised:
                others &= self._differs(access, value)
                what = f"another value than program {self._name(int(before[np.argmax(others)]))} did"
                self._find_race(access, others, what, "program")
            self._native.store(access.real, value, access.mask)
            triton_unwritten.mark(access.argument.memory, access.positions, size)
            writers[indices] = program
            if not (access.offsets[1:] > access.offsets[:-1]).all():  # memory holds one of the values of an element
                self._find_race(access, self._differs(access, value), "several values in one store", "lane")

    def atomic(
        self, addresses: Any, value: Any, mask: Any, run: Callable[[Array, Array], Any], is_exchange: bool = False
    ) -> Any:
        """What an atomic does; `run` takes real addresses and a mask. An exchange may be of what nobody has written."""
        found = np.zeros_like(value)
        self._synchronised.add(self._program())
        for access in self._accesses(addresses, mask, found.itemsize, "updates"):
            if not is_exchange:
                self._must_be_written(access, found.itemsize, "updates")
            triton_unwritten.mark(access.argument.memory, access.positions, found.itemsize)
            found = np.where(access.mask, run(access.real, access.mask), found)
        return found

    def end(self) -> None:
        """The launch is over: count its programs, and raise the race that was found."""
        if _call.counter is not None:
            _call.counter.programs += math.prod(self._place()[1])
        if self._race is not None:
            _call.fault = _call.fault or self._race
            raise self._race

    def _accesses(self, addresses: Any, mask: Any, size: int, verb: str) -> Iterator[_Access]:
        """The active lanes, checked, by the argument that they were made from, which is nearly always one."""
        addresses = np.asarray(addresses, np.uint64)
        mask = np.broadcast_to(np.asarray(mask, np.bool_), addresses.shape)
        active = addresses[mask]
        while active.size:
            windows = (active + np.uint64(1 << (_SHIFT - 1))) >> np.uint64(_SHIFT)
            window, same = int(windows[0]), windows == windows[0]
            if not 1 <= window <= len(self._arguments):
                raise self._fault("memory", "uses an address made from no tensor argument: pass the tensor itself")
            chosen = mask.copy()
            chosen[mask] = same
            yield self._checked(_Access(self._arguments[window - 1], addresses, chosen, active[same]), size, verb)
            mask, active = mask & ~chosen, active[~same]

    def _checked(self, access: _Access, size: int, verb: str) -> _Access:
        """The access, counted; raise its fault if one of its lanes may not be used."""
        positions, tensor, memory = access.positions, access.argument.tensor, access.argument.memory
        end = access.argument.num_bytes - size
        if positions.min() < 0 or positions.max() > end:
            has = f"{access.argument.name} has {tensor.numel()} element{'s' * (tensor.numel() != 1)}"
            raise self._refused("memory", access, (positions < 0) | (positions > end), verb, has)
        if memory in _call.lent:
            view, owned = _call.lent[memory]
            shift = view.element_size().bit_length() - 1  # sizes are powers of 2
            good = owned[positions >> shift] & owned[(positions + (size - 1)) >> shift]
            if not good.all():
                gap = ("what lies between elements", "the padding between rows")[view.dim() > 1 and 1 in view.stride()]
                has = f"the tensor has shape {tuple(view.shape)} and strides {view.stride()}"
                raise self._refused("padding", access, ~good, f"{'reads' if verb == 'loads' else 'writes'} {gap}:", has)
        if _call.counter is not None:
            line = getattr(self._frame(), "f_lineno", 0)
            _call.counter.add(line, verb, access.argument.name, positions, size)
        return access

    def _must_be_written(self, access: _Access, size: int, verb: str) -> None:
        """Raise the fault of lanes that use what nobody has written, where that is known."""
        bad = triton_unwritten.missing(access.argument.memory, access.positions, size)
        if bad is not None and bad.any():
            lanes = f"{access.argument.at(access.offsets[bad])} ({int(bad.sum())} of {bad.size} active lanes)"
            what = (
                "where nobody has written: torch.empty gives memory as it was left. Store there first, or torch.zeros"
            )
            raise self._fault("uninitialised", f"{verb} {lanes} {what}.")

    def _refused(self, kind: str, access: _Access, bad: Array, verb: str, has: str) -> KernelFault:
        """The fault of bad lanes: which they are, and what the tensor has instead."""
        advice = "Look at how the offsets are computed" if bad.all() else "Mask these lanes, or correct their offsets"
        lanes = f"{access.argument.at(access.offsets[bad])} ({int(bad.sum())} of {bad.size} active lanes)"
        return self._fault(kind, f"{verb} {lanes}; {has}. {advice}.")

    def _find_race(self, access: _Access, lanes: Array, what: str, who: str) -> None:
        """Remember the first race, for the end of the launch, if there are lanes that make one."""
        if self._race is None and lanes.any():
            where = access.argument.at(access.offsets[lanes][:1])
            what = f"stores to {where} {what}; on a GPU any may come last. Let one {who} store each element."
            self._race = self._fault("race", what)

    def _differs(self, access: _Access, value: Array) -> Array:
        """Which lanes' values are not what memory holds."""
        held = self._native.load(access.real, access.mask, np.zeros_like(value), value.dtype)[access.mask]
        new = value[access.mask]
        return np.asarray((held != new) & ~((held != held) & (new != new)))

    def _program(self) -> int:
        """The program's number in the grid, from 1."""
        (x, y, z), (_, num_y, num_z) = self._place()
        return int((x * num_y + y) * num_z + z + 1)

    def _name(self, program: int) -> str:
        """The program's index, in as many dimensions as the grid has."""
        grid = self._place()[1]
        dimensions = max([1, *(axis + 1 for axis in range(3) if grid[axis] > 1)])
        return str(tuple(int(i) for i in np.unravel_index(program - 1, grid)[:dimensions]))

    def _fault(self, kind: str, text: str) -> KernelFault:
        """The fault, with the program and the kernel's line; remembered unless it is a race, which is raised later."""
        frame = self._frame()
        line = getattr(frame, "f_lineno", "?")
        found = KernelFault(f"line {line}: program {self._name(self._program())} {text}")
        found.kind = kind
        if kind == "race":
            return found.with_traceback(frame and TracebackType(None, frame, frame.f_lasti, frame.f_lineno))
        _call.fault = _call.fault or found
        return found

    def _frame(self) -> Any:
        """The frame of the kernel, or of a function of its file, that is being run; None where there is none."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return frame
