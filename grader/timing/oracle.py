"""Whether the outputs of a batch are right: every one is screened, what is doubtful is judged in full.

The screen is quick enough to be run on every output: the library's result on the same input, within two tolerances.
What fails it, and a few that nobody can foresee, are held against the reference as in the tests; that alone decides.
Inputs are read from the memory that was shared, but a part that nobody can foresee is drawn again: who changes inputs
so that their answer is known has to change most of them to gain anything.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType

import torch

from grader.records import Finding
from grader.status import Status
from grader.testing.expect import compare, passing
from grader.timing.arena import Arguments
from grader.timing.screen import count_far
from shared.tolerance import Tolerance

MARGIN = 2.0  # the library's result may itself be one tolerance away from the truth
MAX_EXPLAINED = 1 << 22  # elements
SAMPLES = 2  # outputs of each batch that are judged in full whatever the screen says
DRAWN_AGAIN = 1 / 16  # of the inputs


@dataclass(frozen=True)
class Oracle:
    """What a right output is: the exercise's reference, on the grader's own inputs."""

    reference: ModuleType
    dtype: torch.dtype
    chance: random.Random = field(default_factory=random.SystemRandom)

    def draws_again(self) -> bool:
        """Whether this input is drawn again."""
        return self.chance.random() < DRAWN_AGAIN

    def screen(self, out: torch.Tensor, inputs: Arguments, far: torch.Tensor) -> None:
        """Add the number of doubtful elements to `far`; nothing waits for the GPU."""
        near = self.reference.baseline(*inputs)
        if out.shape != near.shape or out.dtype != self.dtype:
            far.add_(1)
        else:
            tolerance = self.reference.tolerance(*inputs)
            count_far(out, near, Tolerance(MARGIN * tolerance.rtol, MARGIN * tolerance.atol), far)

    def shuffled(self, count: int) -> list[int]:
        """All positions of a batch, each time in another order."""
        return self.chance.sample(range(count), count)

    def samples(self, fine: Sequence[int]) -> list[int]:
        """Some of the calls that passed the screen, to be judged in full all the same."""
        return self.chance.sample(fine, min(SAMPLES, len(fine)))

    def is_right(self, out: torch.Tensor, inputs: Arguments) -> bool:
        """The judgement in full, on the device."""
        ref, tolerance = self.reference.reference(*inputs), self.reference.tolerance(*inputs)
        if out.shape != ref.shape or out.dtype != self.dtype:
            return False
        return bool(passing(out.to(torch.float64), ref.to(torch.float64), tolerance).all())

    def wrong(self, out: torch.Tensor, inputs: Arguments, call: str) -> Finding:
        """What is wrong with an output, explained as in a test."""
        ref, tolerance = self.reference.reference(*inputs), self.reference.tolerance(*inputs)
        out, ref, tolerance = _around_the_first_wrong(out, ref, tolerance)
        near = Tolerance(tolerance.rtol, torch.as_tensor(tolerance.atol).cpu())
        found = compare(out.cpu(), ref.cpu(), self.dtype, near)
        if found is None:
            return late(call)
        details = f"{found.summary} {found.details}"
        return Finding(Status.INCORRECT, f"the output of {call} is wrong", details=details, diagnosis=found.diagnosis)


def _around_the_first_wrong(
    out: torch.Tensor, ref: torch.Tensor, tolerance: Tolerance
) -> tuple[torch.Tensor, torch.Tensor, Tolerance]:
    """Of very large outputs the part that is looked at: a comparison in full would not fit into the host's memory."""
    if out.shape != ref.shape or ref.numel() <= MAX_EXPLAINED:
        return out, ref, tolerance
    rows = ref.shape[0]
    far = (~passing(out.to(torch.float64), ref.to(torch.float64), tolerance)).reshape(rows, -1).any(dim=1)
    first = int(far.nonzero()[0]) if bool(far.any()) else 0
    part = slice(first, first + max(1, MAX_EXPLAINED * rows // ref.numel()))
    atol = torch.as_tensor(tolerance.atol, device=ref.device).expand(ref.shape)[part]
    return out[part], ref[part], Tolerance(tolerance.rtol, atol)


def changed(call: str) -> Finding:
    """A right output beside an input that is no longer what it was."""
    hint = "Write results into a new tensor; inputs are read only."
    return Finding(Status.INCORRECT, f"{call} changed its input", diagnosis=hint)


def late(call: str) -> Finding:
    """An output that was not there yet when the submission said that it was done."""
    text = f"the output of {call} changed after it was returned"
    hint = (
        "Work that is not waited for: every stream has to be joined, every thread to be done, before the call returns."
    )
    return Finding(Status.INCORRECT, text, diagnosis=hint)
