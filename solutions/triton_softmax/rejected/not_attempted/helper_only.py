import torch


def row_maximum(x):
    return x.amax(dim=-1, keepdim=True)


def triton_softmax(x):
    m = row_maximum(x)
    raise NotImplementedError
