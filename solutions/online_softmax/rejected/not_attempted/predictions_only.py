"""The predictions are written, the function is not."""

import torch


def online_softmax(x: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError


def predict_programs(num_rows, num_cols):
    return num_rows


def predict_bytes(num_rows, num_cols):
    return 3 * 4 * num_rows * num_cols
