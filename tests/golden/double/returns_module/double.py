import torch


def double(x):
    return torch
