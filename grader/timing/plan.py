"""What is raced in one case: the inputs, the oracle, and how many calls fit into a batch on this device."""

from __future__ import annotations

import contextlib
import inspect
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType

import torch

from grader.boundary import lending
from grader.errors import GraderError
from grader.exercise import Entry, Exercise, PerformanceCase
from grader.testing.inputs import Make, given
from grader.testing.run import load_reference
from grader.timing import batches
from grader.timing.arena import Arguments, Draw, Tensors
from grader.timing.ceilings import median_seconds
from grader.timing.measurement import Ceilings
from grader.timing.oracle import Oracle
from shared.cost import Cost

BASELINE_CALLS = 3  # for a guess at its time
BLOCK_BYTES = 512  # what torch rounds an allocation up to
MEMORY_SHARE = 0.75  # of the free device memory, for the inputs and outputs of one batch; the rest for temporaries


@dataclass(frozen=True)
class Plan:
    """What is raced: the exercise's functions on the inputs of one case, and how many calls fit into memory."""

    new_draw: Callable[[], Draw]  # with a key of its own: what an attempt has seen does not come again
    oracle: Oracle
    outputs: tuple[int, ...]  # positions of a launcher's outputs
    cost: Cost  # of one call, ideally
    output_bytes: int  # of one call, as an allocator rounds it up
    exact_bytes: int  # of one call
    bytes_per_call: int  # of inputs and outputs
    bytes_at_least: int  # of device memory, to time one call
    is_compared: bool  # whether the mark is a comparison with the baseline
    count: int  # K: calls in a batch, at most
    baseline_count: int  # of the baseline's, which needs fewer where it is slow


def make_plan(exercise: Exercise, case: PerformanceCase, ceilings: Ceilings) -> Plan:
    """Look at one call on this device; raises GraderError when the baseline itself is wrong."""
    reference = load_reference(exercise)
    outputs = exercise.outputs(exercise.entries[0])
    sample = _draw(exercise, reference, case)(0, 0)
    inputs = given(sample, outputs)
    cost = reference.cost(*inputs)
    out = reference.baseline(*inputs)
    oracle = Oracle(reference, out.dtype)
    peak = _bytes_of_a_judgement(oracle, out, inputs)
    exact_bytes = _size(out)
    output_bytes = math.ceil(exact_bytes / BLOCK_BYTES) * BLOCK_BYTES
    input_bytes = sum(_size(v) for p, v in enumerate(sample) if isinstance(v, torch.Tensor) and p not in outputs)
    baseline_ms = median_seconds(partial(reference.baseline, *inputs), BASELINE_CALLS) * 1e3
    del out, inputs, sample
    torch.cuda.empty_cache()
    least = int((input_bytes + 2 * output_bytes + peak) / MEMORY_SHARE)
    room = int(torch.cuda.mem_get_info()[0] * MEMORY_SHARE - peak)
    least_ms = ceilings.least_ms(cost.num_bytes, cost.num_flops, lending.name_of(oracle.dtype))
    count, baseline_count = batches.counts(room, input_bytes, output_bytes, least_ms, baseline_ms)
    return Plan(
        partial(_draw, exercise, reference, case),
        oracle,
        outputs,
        cost,
        output_bytes,
        exact_bytes,
        input_bytes + output_bytes,
        least,
        case.bound == "compute",
        count,
        baseline_count,
    )


def warm_up(exercise: Exercise) -> None:
    """Have what judges outputs compiled, which takes seconds, while others still start."""
    reference = load_reference(exercise)
    for case in exercise.performance:
        with contextlib.suppress(torch.OutOfMemoryError):  # is told of where the case is timed
            inputs = given(_draw(exercise, reference, case)(0, 0), exercise.outputs(exercise.entries[0]))
            out = reference.baseline(*inputs)
            Oracle(reference, out.dtype).screen(out, inputs, torch.zeros(1, dtype=torch.int32, device="cuda"))
    torch.cuda.empty_cache()


def as_baseline(exercise: Exercise) -> Exercise:
    """The exercise's reference.py as if it were a submission with the entry `baseline`."""
    signature = inspect.signature(load_reference(exercise).baseline)
    names = tuple(signature.parameters)
    entry = Entry(name="baseline", parameters=names, declaration=f"baseline{signature}")
    return exercise.model_copy(update={"file": "reference.py", "entries": (entry,), "prototypes": ()})


def reference_text(exercise: Exercise) -> str:
    """The text of the exercise's reference.py."""
    return (exercise.folder / "reference.py").read_text(encoding="utf-8")


def _draw(exercise: Exercise, reference: ModuleType, case: PerformanceCase) -> Draw:
    """Inputs that follow from a key which nobody outside of this process knows, not even with the report's seed."""
    key = secrets.token_hex(16)

    def draw(turn: int, index: int, places: Tensors = ()) -> Arguments:
        make = _TimedMake((key, exercise.name, case.name, turn, index), places)
        return tuple(reference.make_inputs(make, **case.arguments))

    return draw


class _TimedMake(Make):
    """Draws on the device, in the dtype itself; of a launcher's output it gives the form alone."""

    def __init__(self, key: tuple[object, ...], places: Tensors) -> None:
        super().__init__(*key, device="cuda")
        self._places = list(places)

    def randn(self, *shape: int, dtype: torch.dtype = torch.float32, scale: float = 1.0) -> torch.Tensor:
        return self._room(shape, dtype).normal_(0.0, scale, generator=self._generator)

    def unwritten(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device="meta")

    def _room(self, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        """Where the next tensor is wanted, if it is like this."""
        if self._places and (self._places[0].shape, self._places[0].dtype) == (shape, dtype):
            return self._places.pop(0)
        return torch.empty(shape, dtype=dtype, device=self._device)


def _bytes_of_a_judgement(oracle: Oracle, out: torch.Tensor, inputs: Arguments) -> int:
    """What judging one output in full needs beside it; the baseline's is the one that is tried."""
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    if not oracle.is_right(out, inputs):
        raise GraderError("the baseline in reference.py is not within the tolerance of the reference")
    return torch.cuda.max_memory_allocated() - before


def _size(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()
