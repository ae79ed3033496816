"""Text in another encoding."""


def make(path):
    path.write_bytes("# caf\u00e9\ndef double(x):\n    return 2 * x\n".encode("latin-1"))
