def double(x):
    print("\x1b[2J\x1b[31mred\a")
    return 2 * x
