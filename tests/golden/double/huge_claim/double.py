import torch


def double(x):
    return torch.empty(1).expand(10**12)
