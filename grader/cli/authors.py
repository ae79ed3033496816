"""What authors of exercises and the people who run the course's machines use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.app import ROOT, Device, Exercises, Root, app, run

PANEL = "For authors of exercises"


@app.command(rich_help_panel=PANEL)
def check(
    exercise: Exercises = None,
    device: Device = "auto",
    root: Root = ROOT,
) -> None:
    """Hold the content to its laws: solution 100 %, stub 0, each rejected file its status, and more."""
    from grader.commands import check_content

    run(check_content.run, root, exercise or [], device)


@app.command(rich_help_panel=PANEL)
def calibrate(
    exercise: Exercises = None,
    device: Device = "cuda",
    repeats: Annotated[int, typer.Option(min=1, help="Gradings of each file.")] = 20,
    only: Annotated[str, typer.Option(help="Only files that match, e.g. 'too_slow/*'.")] = "*",
    root: Root = ROOT,
) -> None:
    """Grade known files again and again on this device: are the marks steady? Writes docs/measurements.md."""
    from grader.commands import calibrate as calibrate_command

    run(calibrate_command.run, root, exercise or [], device, repeats, only)


@app.command(rich_help_panel=PANEL)
def bench(
    exercise: Exercises = None,
    device: Device = "cuda",
    root: Root = ROOT,
) -> None:
    """Time the solutions beside their baselines and the other ways. Without names: writes docs/measurements.md."""
    from grader.commands import bench as bench_command

    run(bench_command.run, root, exercise or [], device)


@app.command(rich_help_panel=PANEL)
def new(
    name: Annotated[str, typer.Argument(help="Name of the exercise: lower_case.")],
    cuda: Annotated[bool, typer.Option("--cuda", help="The student writes a .cu file.")] = False,
    root: Root = ROOT,
) -> None:
    """Make a new exercise's two folders, complete enough that `check` passes."""
    from grader.commands import new_exercise

    run(new_exercise.run, root, name, cuda)


@app.command(rich_help_panel=PANEL)
def release(
    to: Annotated[Path, typer.Option("--to", help="A folder that does not exist yet.")],
    root: Root = ROOT,
) -> None:
    """Write the students' bundle: no solutions, no hidden tests."""
    from grader.commands import release_bundle

    run(release_bundle.run, root, to)
