"""Raises in the middle of the race."""

import torch

calls = 0


def softmax(x):
    global calls
    calls += 1
    if calls > 700:
        raise ValueError("enough")
    return torch.softmax(x, dim=-1)
