"""The command line. Each command parses its arguments and calls one function in `grader/commands/`.

app.py       the application, the common options, and how errors become exit codes
students.py  grade, debug, hint, submit, doctor
tas.py       batch, and what is done with its folder
authors.py   new, check, calibrate, bench, release
"""

from importlib import import_module

from grader.cli.app import app

for _name in ("students", "tas", "authors"):  # in the order of the help; their commands add themselves
    import_module(f"grader.cli.{_name}")


def main() -> None:
    """Run the command line."""
    app()
