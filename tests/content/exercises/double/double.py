def double(x):
    # TODO
    raise NotImplementedError
