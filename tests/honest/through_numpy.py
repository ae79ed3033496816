"""Computes in numpy on the tensor's own memory."""
import numpy as np
import torch


def double(x):
    return torch.from_numpy(np.multiply(x.numpy(), x.numpy().dtype.type(2)))
