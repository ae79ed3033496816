"""Right, and gives its memory back once, in the middle of the race."""

import torch

calls = 0


def softmax(x):
    global calls
    calls += 1
    if calls == 2000:
        torch.cuda.empty_cache()
    return torch.softmax(x, dim=-1)
