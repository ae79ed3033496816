from shared.cost import Cost
from shared.tolerance import EXACT


def make_inputs(make, num_elements):
    return (make.integers(num_elements, low=-9, high=9),)


def reference(x):
    return 4 * x.double()


def baseline(x):
    return 4 * x


def tolerance(x):
    return EXACT


def cost(x):
    return Cost(num_bytes=2 * x.numel() * x.element_size(), num_flops=x.numel())
