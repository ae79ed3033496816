"""GeLU in one Triton kernel: each element is read once and written once. See README.md."""

import torch
import triton
import triton.language as tl

# Eight elements for each of a program's 128 threads: one load of 16 bytes in half precision, the widest there is, and
# two in float32. That many bytes in flight hide the memory's latency.
BLOCK_SIZE = 1024


@triton.jit
def triton_gelu_kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    # 64 bits before the multiplication: pid * BLOCK_SIZE passes 2**31 in a tensor of more elements.
    pid = tl.program_id(axis=0).to(tl.int64)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    # The last program has lanes that no element belongs to: they neither load nor store.
    mask = offsets < num_elements

    # In half precision the cube overflows from |x| = 41 on, and exp takes float32 only.
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)

    # x/2 * (1 + tanh(u)) = x / (1 + exp(-2u)): where exp overflows, x / inf is 0, as it should be. A tanh made of
    # exponentials would end in inf / inf. In float16 so many elements arrive that arithmetic counts, too: one
    # exponential and one division for each.
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    y = x / (1.0 + tl.exp(-2.0 * inner))

    # The store rounds to the result's dtype, once.
    tl.store(y_ptr + offsets, y, mask=mask)


def triton_gelu(x: torch.Tensor) -> torch.Tensor:
    """GeLU (tanh form) of every element, in a new tensor of the same shape and dtype."""
    # The kernel takes memory from the first element to the last. Only a view with gaps, or in another order, is copied.
    x = x.contiguous()
    y = torch.empty_like(x)
    num_elements = x.numel()
    grid = (triton.cdiv(num_elements, BLOCK_SIZE),)
    triton_gelu_kernel[grid](x, y, num_elements, BLOCK_SIZE=BLOCK_SIZE)
    return y


def predict_programs(num_elements: int) -> int:
    """How many programs triton_gelu launches for so many elements."""
    return triton.cdiv(num_elements, BLOCK_SIZE)


def predict_bytes(num_elements: int) -> int:
    """How many bytes the active lanes of all programs load and store together, for so many elements of float32."""
    # Read once and written once. Masked lanes move nothing, so BLOCK_SIZE does not matter.
    return 2 * 4 * num_elements
