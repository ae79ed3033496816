"""What TAs use: a folder of submissions in, a book of grades out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.app import ROOT, Device, Root, app, run

PANEL = "For TAs"

Out = Annotated[Path, typer.Option("--out", help="The batch's folder: made new, or gone on with.")]
Names = Annotated[list[str] | None, typer.Option("--exercise", "-e", help="An exercise; may be repeated.")]


@app.command(rich_help_panel=PANEL)
def batch(
    out: Out,
    submissions: Annotated[
        Path | None,
        typer.Argument(help="A folder or an archive with all that was handed in; without: what --out knows."),
    ] = None,
    exercise: Names = None,
    layout: Annotated[
        str, typer.Option(help="auto, gradescope, canvas, classroom, folders, archives or pattern.")
    ] = "auto",
    pattern: Annotated[
        str, typer.Option(help="For any other layout: a regular expression over paths, with (?P<id>…).")
    ] = "",
    roster: Annotated[Path | None, typer.Option(help="A CSV with ids, names and e-mail addresses.")] = None,
    late: Annotated[Path | None, typer.Option(help="The late policy, a small yaml; kept with the batch.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show who handed in what, and stop.")] = False,
    device: Device = "auto",
    jobs: Annotated[int | None, typer.Option(min=1, help="Submissions at the same time.")] = None,
    only: Annotated[str, typer.Option(help="Only submissions whose id or person matches: 'a*'.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Grade those of --only anew, and compare.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Also where none can be made: trusted files only.")
    ] = False,
    root: Root = ROOT,
) -> None:
    """Grade a folder of submissions; killed at any time, the same command goes on."""
    from grader.commands import batch_grade

    sources = batch_grade.Sources(submissions, tuple(exercise or ()), layout, pattern, roster, late)
    how = batch_grade.How(device, jobs, only, again, quiet, no_sandbox)
    run(batch_grade.run, root, out, sources, how, dry_run)


@app.command(rich_help_panel=PANEL)
def impact(
    old: Annotated[Path, typer.Argument(help="A batch's folder, such as a copy made before the tests were changed.")],
    new: Annotated[Path, typer.Argument(help="The batch's folder as it is now.")],
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all of it here.")] = None,
    root: Root = ROOT,
) -> None:
    """Say who gains and who loses from one batch folder to another, before anything is published."""
    from grader.commands import impact as impact_command

    run(impact_command.run, root, old, new, json_file)


@app.command(rich_help_panel=PANEL)
def similar(
    batch: Annotated[Path, typer.Argument(help="A batch's folder.")],
    exercise: Names = None,
    root: Root = ROOT,
) -> None:
    """List files that are more alike than the class's are: for people to read, never a verdict."""
    from grader.commands import similar as similar_command

    run(similar_command.run, root, batch, exercise or [])
