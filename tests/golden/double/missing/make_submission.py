"""No file at all."""


def make(path):
    pass
