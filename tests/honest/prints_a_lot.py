"""Prints much, but less than the limit; on both streams, and by logging."""
import logging
import sys
import warnings

logging.basicConfig(level=logging.DEBUG)


def double(x):
    for i in range(2000):
        print(f"line {i}: {x.flatten()[0].item():.3f} {{'op': 'returned'}} [bold] {i * '='}"[:200])
    print("to stderr", file=sys.stderr)
    logging.getLogger(__name__).warning("a warning")
    warnings.warn("another warning", stacklevel=1)
    return 2 * x
