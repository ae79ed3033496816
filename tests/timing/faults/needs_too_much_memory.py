"""Asks for more memory than the device has."""

import torch


def softmax(x):
    if x.shape[0] > 100:
        torch.empty(1 << 40, dtype=torch.uint8, device=x.device)
    return torch.softmax(x, dim=-1)
