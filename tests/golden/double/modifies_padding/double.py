def double(x):
    y = 2 * x
    if x.dim() == 2:
        x.as_strided((1,), (1,), x.shape[1]).fill_(1.0)
    return y
