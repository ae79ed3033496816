"""What the commands share: the application, their common options, and how errors become exit codes.

0 every exercise got a verdict · 1 `--strict` and something failed · 2 usage or bad input · 3 our fault · 130
interrupted
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

ROOT = Path(__file__).resolve().parents[2]

app = typer.Typer(
    name="grader",
    help="Grade exercises in GPU kernels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Exercises = Annotated[list[str] | None, typer.Argument(help="Names of exercises; all without.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")]
Seed = Annotated[int, typer.Option(help="Determines every input.")]
Root = Annotated[Path, typer.Option("--root", help="The tree with exercises/.", hidden=True)]


def run(command: Callable[..., int], *arguments: Any) -> NoReturn:
    """Run a command and end with its exit code; errors of people and of ours are said in a line."""
    from grader.errors import GraderError, UsageError

    _prepare_process()
    try:
        code = command(*arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader went away, as in `| head`
        code = 0
    except KeyboardInterrupt:
        code = _say("interrupted; every worker is gone", 130)
    except UsageError as error:
        code = _say(str(error), 2)
    except GraderError as error:
        code = _say(f"grader error: {error}", 3)
    except OSError as error:
        code = _say(f"grader error: {error}", 3)
    raise typer.Exit(code)


def _prepare_process() -> None:
    """Print what a terminal cannot show as a question mark, and let SIGTERM clean up as Ctrl-C does."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")

    def interrupt(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


def _say(text: str, code: int) -> int:
    print(f"grader: {text}", file=sys.stderr)
    return code
