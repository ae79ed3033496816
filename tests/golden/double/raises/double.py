def double(x):
    helper(x)
    return 2 * x


def helper(x):
    raise ValueError(f"I cannot work with {x.flatten()[0].item():.3f}")
