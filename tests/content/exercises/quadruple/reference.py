from shared.tolerance import EXACT


def make_inputs(make, num_elements):
    return (make.integers(num_elements, low=-9, high=9),)


def reference(x):
    return 4 * x.double()


def tolerance(x):
    return EXACT
