# a comment that the stub does not have
def double(x):
    raise NotImplementedError
