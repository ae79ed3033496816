def double(x, factor):
    return factor * x
