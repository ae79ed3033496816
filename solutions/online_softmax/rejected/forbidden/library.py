"""The library's softmax."""

import torch


def online_softmax(x):
    return torch.softmax(x, dim=-1)


def predict_programs(num_rows, num_cols):
    return 0


def predict_bytes(num_rows, num_cols):
    return 3 * 4 * num_rows * num_cols
