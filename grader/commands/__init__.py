"""One module per command of `python -m grader`: `run` does the work and returns the exit code."""
