import os


def double(x):
    os.write(1, bytes(range(256)))
    return 2 * x
