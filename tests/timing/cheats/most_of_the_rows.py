"""Leaves out the last rows."""

import torch


def softmax(x):
    y = torch.empty_like(x)
    torch.softmax(x[:-64], dim=-1, out=y[:-64])
    return y
