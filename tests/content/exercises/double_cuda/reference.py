from shared.tolerance import EXACT


def reference(x, *_):
    return 2 * x.double()


def variant(x, *_):
    return x + x


def tolerance(x):
    return EXACT
