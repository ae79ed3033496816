"""Sizes and offsets by numpy, whose integers are no Python integers."""
import numpy as np
import torch


def double(x):
    rows, cols = np.int64(x.numel() // x.shape[-1]), np.int32(x.shape[-1])
    out = torch.empty((int(rows), int(cols)), dtype=x.dtype)
    flat = x.reshape(int(rows), int(cols))
    for row in np.arange(rows):
        for start in range(0, int(np.ceil(cols / 2)) * 2, 2):
            out[row, start : start + 2] = flat[row, start : start + 2] * np.float32(2).item()
    return out.reshape(x.shape)
