def double(x):
    raise ValueError("caf\udce9 \x1b[31mred\x1b[0m")
