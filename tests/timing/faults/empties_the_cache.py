"""Right, but gives its memory back to the device in every call."""

import torch


def softmax(x):
    torch.cuda.empty_cache()
    return torch.softmax(x, dim=-1)
