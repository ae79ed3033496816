def duoble(x):
    return 2 * x
