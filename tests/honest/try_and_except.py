"""Tries one way and falls back to another, as one does for older versions."""
import torch


def double(x):
    try:
        return torch.twice(x)
    except AttributeError:
        pass
    finally:
        done = True
    try:
        raise RuntimeError("not here")
    except (RuntimeError, KeyError) as error:
        assert str(error)
    return torch.add(x, x) if done else None
