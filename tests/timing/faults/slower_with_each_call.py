"""Right, and does a little more each time."""

import torch

calls = 0


def softmax(x):
    global calls
    calls += 1
    for _ in range(calls // 500):
        torch.softmax(x, dim=-1)
    return torch.softmax(x, dim=-1)
