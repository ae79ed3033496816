"""Figures that documentation quotes, each from a command: `nox -s benchmark -- NAME`."""
