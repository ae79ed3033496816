"""Right, and hopelessly slow."""

import time

import torch


def softmax(x):
    time.sleep(5)
    return torch.softmax(x, dim=-1)
