import torch


def NAME(x):
    return torch.cat([2 * x, x[:1]])
