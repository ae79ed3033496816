"""Decorated several times, with and without functools.wraps."""
import functools
import time

import torch


def timed(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        start = time.perf_counter()
        result = function(*args, **kwargs)
        inner.seconds = time.perf_counter() - start
        return result

    return inner


def plain(function):
    return lambda *args, **kwargs: function(*args, **kwargs)


@timed
@torch.no_grad()
@plain
def double(x):
    return 2 * x
