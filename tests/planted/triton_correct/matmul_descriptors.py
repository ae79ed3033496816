"""Tensor descriptors, made on the host and in the kernel."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from shared.triton_checks import begin


@triton.jit
def matmul_kernel(a_desc, b_ptr, c_desc, N, K, BLOCK: tl.constexpr):
    rm, rn = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK, BLOCK])
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, BLOCK):
        acc += tl.dot(a_desc.load([rm, k]), b_desc.load([k, rn]))
    c_desc.store([rm, rn], acc)


def run():
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))
    a, b = torch.randn(20, 36), torch.randn(36, 40)
    begin([a, b])
    c = torch.empty(20, 40)
    blocks = (TensorDescriptor.from_tensor(t, [16, 16]) for t in (a, c))
    a_desc, c_desc = blocks
    matmul_kernel[(2, 3)](a_desc, b, c_desc, 40, 36, BLOCK=16)
    return c, a @ b
