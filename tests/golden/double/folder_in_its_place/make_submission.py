"""A folder where the file should be."""


def make(path):
    path.mkdir()
