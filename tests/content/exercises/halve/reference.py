from shared.cost import Cost
from shared.tolerance import EXACT


def make_inputs(make, num_rows, num_cols):
    return (make.integers(num_rows, num_cols, low=-9, high=10),)


def reference(x):
    return x.double() / 2


def baseline(x):
    return x / 2


def tolerance(x):
    return EXACT


def cost(x):
    return Cost(num_bytes=2 * x.numel() * x.element_size(), num_flops=x.numel())
