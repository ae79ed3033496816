"""Right, but keeps every result."""

import torch

kept = []


def softmax(x):
    kept.append(torch.softmax(x, dim=-1))
    return kept[-1]
