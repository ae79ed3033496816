"""Brings a test of its own, an entry for the command line, and `__all__`."""
import argparse
import sys

__all__ = ["double"]
__version__ = "1.0"


def double(x):
    return x.mul(2)


def test_double():
    import torch

    assert torch.equal(double(torch.ones(3)), torch.full((3,), 2.0))


def main(argv=None):
    argparse.ArgumentParser().parse_args(argv)
    test_double()
    return 0


if __name__ == "__main__":
    sys.exit(main())
test_double()
