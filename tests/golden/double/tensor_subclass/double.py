import torch


class Lazy(torch.Tensor):
    pass


def double(x):
    return (2 * x).as_subclass(Lazy)
