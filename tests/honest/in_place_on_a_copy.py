"""Works in place, on a copy of the input."""
def double(x):
    y = x.clone()
    y *= 2
    return y
