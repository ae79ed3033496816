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


@app.command(rich_help_panel=PANEL)
def export(
    batch: Annotated[Path, typer.Argument(help="A batch's folder.")],
    to: Annotated[str, typer.Option("--to", help="gradescope, canvas, classroom50, csv, junit or students.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file, or the folder of files, to write.")],
    gradebook: Annotated[Path | None, typer.Option(help="For canvas: the gradebook exported from there.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="For canvas: 'Title (id)' for the sum, or EXERCISE='Title (id)'.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="For canvas: show the cells that would change.")] = False,
    hidden: Annotated[str, typer.Option(help="For gradescope: when students see hidden cases.")] = "after_published",
    leaderboard: Annotated[bool, typer.Option("--leaderboard", help="For gradescope: with speeds.")] = False,
    classroom: Annotated[str, typer.Option(help="For classroom50: its short name.")] = "",
    assignment: Annotated[str, typer.Option(help="For classroom50: its short name.")] = "",
    root: Root = ROOT,
) -> None:
    """Write the grades as an LMS takes them."""
    from grader.commands import export_grades

    options = (gradebook, tuple(column or ()), dry_run, hidden, leaderboard, classroom, assignment)
    run(export_grades.run, root, batch, export_grades.Choices(to, output, *options))


@app.command(rich_help_panel=PANEL)
def override(
    batch: Annotated[Path, typer.Argument(help="A batch's folder.")],
    entry: Annotated[str, typer.Option(help="The submission.")],
    exercise: Annotated[str, typer.Option("--exercise", "-e", help="The exercise.")],
    points: Annotated[float | None, typer.Option(help="Points that count from now on, before lateness.")] = None,
    reason: Annotated[str, typer.Option(help="Why; the student reads it.")] = "",
    by: Annotated[str, typer.Option(help="Who decides.")] = "",
    bonus: Annotated[bool, typer.Option("--bonus", help="More than the exercise's points are meant.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="The grader's points count again.")] = False,
    root: Root = ROOT,
) -> None:
    """Set the points of one submission by hand; kept through every regrade."""
    from grader.commands import override_grade

    asked = override_grade.Asked(entry, exercise, None if remove else points, reason, by)
    run(override_grade.run, root, batch, asked, bonus, remove)


@app.command(rich_help_panel=PANEL)
def package(
    output: Annotated[Path, typer.Option("--output", "-o", help="The zip file to write.")],
    exercise: Names = None,
    to: Annotated[str, typer.Option("--to", help="gradescope.")] = "gradescope",
    late: Annotated[Path | None, typer.Option(help="The late policy, a small yaml.")] = None,
    hidden: Annotated[
        str, typer.Option(help="When students see hidden cases: after_published, after_due_date, hidden or visible.")
    ] = "after_published",
    time_limit: Annotated[float, typer.Option(help="The autograder's time limit on Gradescope, in minutes.")] = 10.0,
    seed: Annotated[int | None, typer.Option(help="Of all inputs, to make a package again; new without.")] = None,
    root: Root = ROOT,
) -> None:
    """Pack an autograder, with hidden tests: for Gradescope."""
    from grader.commands import package_autograder

    choices = package_autograder.Choices(hidden, time_limit, seed, late)
    run(package_autograder.run, root, exercise or [], to, output, choices)


@app.command(hidden=True)
def gradescope(
    base: Annotated[Path, typer.Argument(help="Gradescope's folder: submission/, results/, submission_metadata.json.")],
    root: Root = ROOT,
) -> None:
    """Grade one submission inside of Gradescope; the package of `package` calls it."""
    from grader.commands import gradescope_run

    run(gradescope_run.run, root, base)
