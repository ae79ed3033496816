def double(x):
    return [10**5000]
