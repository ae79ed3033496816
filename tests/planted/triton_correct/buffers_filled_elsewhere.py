"""Tensors from torch.empty that torch, numpy or a view's owner fills before a kernel reads them."""

from ctypes import memmove
from threading import Thread

import torch
import triton
import triton.language as tl
from numpy import asarray, copyto, from_dlpack

from shared.triton_checks import begin


@triton.jit
def sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


def fillings(x):
    yield torch.empty(20).copy_(x)
    yield torch.add(x, 0, out=torch.empty(20))
    by_index = torch.empty(2, 20)
    by_index[1] = x
    yield by_index[1]
    by_numpy = torch.empty(20)
    by_numpy.numpy()[:] = x.numpy()
    yield by_numpy
    by_asarray = torch.empty(20)
    copyto(asarray(by_asarray), x.numpy())
    yield by_asarray
    by_data = torch.empty_like(x)
    by_data.data.copy_(x)
    yield by_data
    by_list = torch.empty(2, 20).unbind(0)
    torch._foreach_copy_(by_list, [x, x])
    yield by_list[0]
    by_dlpack = torch.empty(20)
    from_dlpack(by_dlpack)[:] = x.numpy()
    yield by_dlpack
    with torch.inference_mode():
        yield torch.empty(20).copy_(x)
    made_in_inference = torch.empty(20)
    with torch.inference_mode():
        made_in_inference.copy_(x)
    yield made_in_inference
    parameter = torch.nn.Parameter(torch.empty(20))
    torch.nn.init.constant_(parameter, 0.0)
    yield parameter.detach() + x
    by_storage = torch.empty(20)
    by_storage.untyped_storage().copy_(x.untyped_storage())
    yield by_storage
    by_operator = torch.empty(20)
    torch.ops.aten.copy_.default(by_operator, x)
    yield by_operator
    by_set = torch.empty(20)
    by_set.set_(x.clone())
    yield by_set
    by_address = torch.empty(20)
    memmove(by_address.data_ptr(), x.data_ptr(), 80)
    yield by_address
    for _ in range(3):
        again = torch.empty(20)
        del again  # its memory is likely to be given out again
        yield x + 0
    by_thread = torch.empty(20)
    thread = Thread(target=by_thread.copy_, args=(x,))
    thread.start()
    thread.join()
    yield by_thread


def run():
    x = torch.randn(20)
    begin([x])
    got = []
    for filled in fillings(x):
        out = torch.empty(1)
        sum_kernel[(1,)](filled, out, 20, BLOCK=32)
        got.append(out)
    return torch.cat(got), x.sum().expand(len(got))
