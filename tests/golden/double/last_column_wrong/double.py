def double(x):
    y = 2 * x
    if x.dim() == 2:
        y[:, -1] = 0
    return y
