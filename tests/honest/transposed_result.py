"""A result whose memory lies the other way round."""
import torch


def double(x):
    out = torch.empty(tuple(reversed(x.shape)), dtype=x.dtype)
    out.copy_((x + x).permute(*reversed(range(x.dim()))))
    return out.permute(*reversed(range(x.dim())))
