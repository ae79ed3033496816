def NAME(x):
    y = 2 * x
    raise NotImplementedError
