"""The command line. Each command parses its arguments and calls one function; errors become exit codes here.

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

ROOT = Path(__file__).resolve().parent.parent

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


@app.command()
def grade(
    exercise: Exercises = None,
    tree: Annotated[Path | None, typer.Option("--from", help="Another tree of the same shape, e.g. solutions.")] = None,
    device: Device = "auto",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the report here.")] = None,
    seed: Seed = 0,
    strict: Annotated[bool, typer.Option(help="Exit 1 unless everything measurable passed.")] = False,
    compare: Annotated[bool, typer.Option(help="Also time the other ways to compute the same (GPU).")] = False,
    root: Root = ROOT,
) -> None:
    """Grade the working tree, or the tree given by --from."""
    from grader.commands import grade_tree

    chosen = tree or root / "exercises"
    _exit(grade_tree.run, root, exercise or [], chosen, device, json_file, seed, strict, compare)


@app.command()
def debug(
    exercise: Annotated[str, typer.Argument(help="Name of the exercise.")],
    case: Annotated[str, typer.Option(help="A case, or one of its settings: test_widths[127].")],
    device: Device = "cpu",
    seed: Seed = 0,
    root: Root = ROOT,
) -> None:
    """Run one case in this process: prints and breakpoints work, there are no marks."""
    from grader.commands import debug_case

    _exit(debug_case.run, root, exercise, case, device, seed)


@app.command()
def hint(
    exercise: Annotated[str, typer.Argument(help="Name of the exercise.")],
    level: Annotated[int | None, typer.Option(help="1 concept, 2 place, 3 invariant.")] = None,
    root: Root = ROOT,
) -> None:
    """Show the next hint: first the concept, then the place, then what must hold."""
    from grader.commands import show_hint

    _exit(show_hint.run, root, exercise, level)


@app.command()
def check(
    exercise: Exercises = None,
    device: Device = "auto",
    root: Root = ROOT,
) -> None:
    """Hold the content to its laws: solution 100 %, stub 0, each rejected file its status, and more."""
    from grader.commands import check_content

    _exit(check_content.run, root, exercise or [], device)


@app.command()
def calibrate(
    exercise: Exercises = None,
    device: Device = "cuda",
    repeats: Annotated[int, typer.Option(min=1, help="Gradings of each file.")] = 20,
    only: Annotated[str, typer.Option(help="Only files that match, e.g. 'too_slow/*'.")] = "*",
    root: Root = ROOT,
) -> None:
    """Grade known files again and again on this device: are the marks steady? Writes docs/measurements.md."""
    from grader.commands import calibrate as calibrate_command

    _exit(calibrate_command.run, root, exercise or [], device, repeats, only)


@app.command()
def bench(
    exercise: Exercises = None,
    device: Device = "cuda",
    root: Root = ROOT,
) -> None:
    """Time the solutions beside their baselines and the other ways. Without names: writes docs/measurements.md."""
    from grader.commands import bench as bench_command

    _exit(bench_command.run, root, exercise or [], device)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the exercise: lower_case.")],
    cuda: Annotated[bool, typer.Option("--cuda", help="The student writes a .cu file.")] = False,
    root: Root = ROOT,
) -> None:
    """Make a new exercise's two folders, complete enough that `check` passes."""
    from grader.commands import new_exercise

    _exit(new_exercise.run, root, name, cuda)


@app.command()
def release(
    to: Annotated[Path, typer.Option("--to", help="A folder that does not exist yet.")],
    root: Root = ROOT,
) -> None:
    """Write the students' bundle: no solutions, no hidden tests."""
    from grader.commands import release_bundle

    _exit(release_bundle.run, root, to)


@app.command()
def submit(
    to: Annotated[Path, typer.Option("--to", help="The zip file to write.")],
    exercise: Exercises = None,
    root: Root = ROOT,
) -> None:
    """Zip your files for handing in; the zip is opened again and checked."""
    from grader.commands import submit_files

    _exit(submit_files.run, root, exercise or [], to)


@app.command()
def doctor() -> None:
    """Say what this machine has and what that means for grading; run a known-good kernel."""
    from grader.commands import doctor as doctor_command

    _exit(doctor_command.run)


def main() -> None:
    """Run the command line."""
    app()


def _exit(command: Callable[..., int], *arguments: Any) -> NoReturn:
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
