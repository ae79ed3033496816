import sys


def double(x):
    sys.stdout.close()
    return 2 * x
