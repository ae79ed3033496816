"""GeLU, tanh form: inputs, the value to compare with, and what an ideal kernel moves."""

import functools
import math

import torch

from shared.cost import Cost
from shared.tolerance import Tolerance


def make_inputs(make, num_elements: int, dtype: str = "float32") -> tuple[torch.Tensor]:
    """Normal values, wide enough for both ends of the curve."""
    return (make.randn(num_elements, dtype=getattr(torch, dtype), scale=2.0),)


def reference(x: torch.Tensor) -> torch.Tensor:
    """The formula in float64, where the cube of any float32 is finite and tanh saturates by itself."""
    wide = x.to(torch.float64)
    inner = math.sqrt(2.0 / math.pi) * (wide + 0.044715 * wide**3)
    return 0.5 * wide * (1.0 + torch.tanh(inner))


def variant(x: torch.Tensor) -> torch.Tensor:
    """The same in float32 with the tanh of the book, rounded to the input's dtype: must pass."""
    wide = x.to(torch.float32)
    inner = math.sqrt(2.0 / math.pi) * wide * (1.0 + 0.044715 * wide * wide)
    return (0.5 * wide * (1.0 + torch.tanh(inner))).to(x.dtype)


def tolerance(x: torch.Tensor) -> Tolerance:
    """A rounding to the dtype, plus what the subtraction in 1 + tanh costs in float32.

    For negative x, tanh is near -1, where float32 has steps of 2**-24; one or two steps in tanh and as many in its
    argument stay in 1 + tanh however small it is, and are multiplied by x/2. The absolute part is twice their sum,
    for each element: a fixed one would accept zeros for small x. Beyond |x| = 8 tanh is exactly ±1 and the error
    stops growing. The last terms are the smallest normal float32, below which a GPU may round to zero, and the step
    between numbers so small that their dtype has no more digits for them.
    """
    limits = torch.finfo(x.dtype)
    size = x.abs().clamp(max=8.0).to(torch.float32)
    smallest = torch.finfo(torch.float32).tiny + limits.smallest_normal * limits.eps
    rtol = 4e-6 if x.dtype == torch.float32 else limits.eps
    return Tolerance(rtol=rtol, atol=2**-22 * size + smallest)


def baseline(x: torch.Tensor) -> torch.Tensor:
    """What speed is compared with."""
    return torch.nn.functional.gelu(x, approximate="tanh")


def eager(x: torch.Tensor) -> torch.Tensor:
    """The formula as it stands in a book, a kernel for each operation."""
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))


def compiled(x: torch.Tensor) -> torch.Tensor:
    """The same formula, fused by torch."""
    return _compiled()(x)


@functools.cache
def _compiled():
    return torch.compile(eager)


def cost(x: torch.Tensor) -> Cost:
    """Each element is read once and written once; about ten operations each."""
    return Cost(num_bytes=2 * x.numel() * x.element_size(), num_flops=10 * x.numel())
