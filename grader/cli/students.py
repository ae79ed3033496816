"""What students use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.app import ROOT, Device, Exercises, Root, Seed, app, run

PANEL = "For students"


@app.command(rich_help_panel=PANEL)
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
    run(grade_tree.run, root, exercise or [], chosen, device, json_file, seed, strict, compare)


@app.command(rich_help_panel=PANEL)
def debug(
    exercise: Annotated[str, typer.Argument(help="Name of the exercise.")],
    case: Annotated[str, typer.Option(help="A case, or one of its settings: test_widths[127].")],
    device: Device = "cpu",
    seed: Seed = 0,
    root: Root = ROOT,
) -> None:
    """Run one case in this process: prints and breakpoints work, there are no marks."""
    from grader.commands import debug_case

    run(debug_case.run, root, exercise, case, device, seed)


@app.command(rich_help_panel=PANEL)
def hint(
    exercise: Annotated[str, typer.Argument(help="Name of the exercise.")],
    level: Annotated[int | None, typer.Option(help="1 concept, 2 place, 3 invariant.")] = None,
    root: Root = ROOT,
) -> None:
    """Show the next hint: first the concept, then the place, then what must hold."""
    from grader.commands import show_hint

    run(show_hint.run, root, exercise, level)


@app.command(rich_help_panel=PANEL)
def submit(
    to: Annotated[Path, typer.Option("--to", help="The zip file to write.")],
    exercise: Exercises = None,
    root: Root = ROOT,
) -> None:
    """Zip your files for handing in; the zip is opened again and checked."""
    from grader.commands import submit_files

    run(submit_files.run, root, exercise or [], to)


@app.command(rich_help_panel=PANEL)
def doctor() -> None:
    """Say what this machine has and what that means for grading; run a known-good kernel."""
    from grader.commands import doctor as doctor_command

    run(doctor_command.run)
