"""The library's softmax: right, and not written by the student."""

import torch


def triton_softmax(x):
    return torch.softmax(x, dim=-1)
