"""Right, but each step is a kernel of its own: about eight elements move where two would do."""

import torch


def triton_softmax(x):
    wide = x.to(torch.float32)
    shifted = wide - wide.amax(dim=-1, keepdim=True)
    numerator = torch.exp(shifted)
    return (numerator / numerator.sum(dim=-1, keepdim=True)).to(x.dtype)
