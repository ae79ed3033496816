import torch


def triton_softmax(x):
    return torch.zeros_like(x)
