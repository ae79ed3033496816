"""A right file that some editor began with a byte order mark."""


def make(path):
    path.write_bytes(b"\xef\xbb\xbfdef double(x):\n    return 2 * x\n")
