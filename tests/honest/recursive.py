"""Halves the input until one element is left."""
import torch


def double(x):
    flat = x.reshape(-1)
    if flat.numel() == 1:
        return (flat + flat).reshape(x.shape)
    middle = flat.numel() // 2
    return torch.cat([double(flat[:middle]).reshape(-1), double(flat[middle:]).reshape(-1)]).reshape(x.shape)
