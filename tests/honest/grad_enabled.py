"""Goes through autograd, and detaches the result."""
import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return 2 * x

    @staticmethod
    def backward(context, gradient):
        return 2 * gradient


def double(x):
    y = x.clone().requires_grad_()
    return Twice.apply(y).detach()
