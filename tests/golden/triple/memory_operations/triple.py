import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, num_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < num_elements
    tl.store(y_ptr + offsets, 3 * tl.load(x_ptr + offsets, mask=mask), mask=mask)


def triple(x):
    """Every operation here allocates, views or copies."""
    if x.numel() == 0:
        return x.clone()
    padded = torch.zeros(x.numel() + 3, dtype=x.dtype, device=x.device)
    padded[: x.numel()] = x.contiguous().view(-1)
    y = torch.full_like(padded, 7)
    kernel[(triton.cdiv(x.numel(), 4),)](padded, y, x.numel(), BLOCK_SIZE=4)
    return torch.cat([y[:1], y[1 : x.numel()]]).reshape(x.shape).to(x.dtype)
