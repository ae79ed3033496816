def double(x):
    line = "x" * 1_000_000
    for _ in range(1000):
        print(line)
    return 2 * x
