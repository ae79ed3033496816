"""The formula in torch: five kernels, none of them the student's."""

import torch


def triton_softmax(x):
    wide = x.to(torch.float32)
    shifted = wide - wide.amax(dim=-1, keepdim=True)
    numerator = torch.exp(shifted)
    return (numerator / numerator.sum(dim=-1, keepdim=True)).to(x.dtype)
