"""The library's GeLU: right, and not written by the student."""

import torch


def triton_gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def predict_programs(num_elements):
    return 0


def predict_bytes(num_elements):
    return 8 * num_elements
