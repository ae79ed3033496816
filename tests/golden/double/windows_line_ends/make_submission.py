"""A right file with CR LF."""


def make(path):
    path.write_bytes(b"def double(x):\r\n    return 2 * x\r\n")
