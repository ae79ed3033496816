"""Returns its input: nothing new is computed."""


def softmax(x):
    return x
