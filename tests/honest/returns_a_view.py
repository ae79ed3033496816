"""Returns a view on a larger tensor of its own: strided, and with an offset."""
import torch


def double(x):
    wide = torch.zeros(*x.shape[:-1], 2 * x.shape[-1] + 3, dtype=x.dtype)
    wide[..., 3::2] = 2 * x
    return wide[..., 3::2]
