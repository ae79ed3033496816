"""Right, but the arithmetic is torch's."""


def NAME(x):
    return x * 2
