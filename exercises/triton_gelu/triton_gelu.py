"""GeLU in one Triton kernel: each element is read once and written once. See README.md."""

import torch
import triton
import triton.language as tl


@triton.jit
def triton_gelu_kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    # TODO: which elements are this program's? Which of them exist? Load, compute in float32, store.
    pass


def triton_gelu(x: torch.Tensor) -> torch.Tensor:
    """GeLU (tanh form) of every element, in a new tensor of the same shape and dtype."""
    # TODO: allocate the result, choose BLOCK_SIZE, launch enough programs.
    raise NotImplementedError


def predict_programs(num_elements: int) -> int:
    """How many programs your triton_gelu launches for so many elements."""
    # TODO: answer before you measure; nothing may be launched here.
    raise NotImplementedError


def predict_bytes(num_elements: int) -> int:
    """How many bytes the active lanes of all programs load and store together, for so many elements of float32."""
    # TODO: answer before you measure. Do lanes behind the last element count?
    raise NotImplementedError
