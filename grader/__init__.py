"""The trusted side: it loads exercises, runs tests, judges and reports; it never imports a submission."""

__version__ = "0.1.0"
