"""A file that is no text."""


def make(path):
    path.write_bytes(bytes(range(256)) * 4)
