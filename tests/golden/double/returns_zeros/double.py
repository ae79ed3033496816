import torch


def double(x):
    return torch.zeros_like(x)
