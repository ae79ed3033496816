"""What a GPU's compiler says of a submission's kernels, as records: on their way from a worker, and in the grader."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any


@dataclass(frozen=True)
class Kernel:
    """What a compiled kernel is made of."""

    name: str
    line: int  # of its definition in the student's file; 0 where it stands elsewhere
    registers: int  # of a thread
    spill_bytes: int  # that a thread stores to memory, because there are too few registers
    load_bytes: int  # the widest load of a thread from global memory, 16 at most; 0 where there is none
    store_bytes: int
    shuffles: int  # instructions that exchange values between the threads of a warp
    uses_tensor_cores: bool
    shared_bytes: int  # of a block; of a `.cu` file those that are declared with their size

    def row(self) -> list[Any]:
        """The record as numbers and a name."""
        return [int(value) if isinstance(value, bool) else value for value in astuple(self)]

    @classmethod
    def of(cls, row: list[Any]) -> Kernel:
        """The inverse of `row`."""
        fields = dict(zip(cls.__dataclass_fields__, row, strict=True))
        return cls(**{**fields, "uses_tensor_cores": bool(fields["uses_tensor_cores"])})


@dataclass(frozen=True)
class Refusal:
    """Why the compiler refuses a kernel."""

    kernel: str
    line: int  # of the student's file; 0 where it is not known
    kind: str  # of triton_refusals.KINDS; empty where nvcc refuses
    reason: str  # the compiler's own words, in one line

    def row(self) -> list[Any]:
        """The record as texts and a number."""
        return list(astuple(self))


@dataclass(frozen=True)
class Compiled:
    """What compiling the kernels of one call, or of one `.cu` file, gave."""

    kernels: tuple[Kernel, ...] = ()
    refusal: Refusal | None = None
    problem: str = ""  # why it is not known what a GPU's compiler says; nobody loses points by it
