import torch


def double(x):
    return torch.stack([2 * x, x], dim=-1)[..., 0]
