def double(x):
    memory = bytearray(4 << 30)
    return 2 * x
