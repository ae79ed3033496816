"""Rows from a generator, a closure for each of them."""
import torch


def rows(x):
    for row in x.reshape(-1, x.shape[-1]):
        yield (lambda r: lambda: r + r)(row)


def double(x):
    return torch.stack([make() for make in rows(x)]).reshape(x.shape)
