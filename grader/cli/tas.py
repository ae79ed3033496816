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


@app.command(rich_help_panel=PANEL)
def export(
    batch: Annotated[Path, typer.Argument(help="A batch's folder.")],
    to: Annotated[str, typer.Option("--to", help="gradescope, canvas, classroom50, csv, junit or students.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Another file (canvas, csv) or folder than the one in the batch's folder."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write over the file of --output.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and stop.")] = False,
    gradebook: Annotated[Path | None, typer.Option(help="canvas: the gradebook as Canvas exports it.")] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="canvas: 'TITLE (NUMBER)' for the sum, or 'EXERCISE=TITLE (NUMBER)'; may be repeated."),
    ] = None,
    match: Annotated[
        list[str] | None, typer.Option(help="canvas: find people by this column alone: 'SIS Login ID'.")
    ] = None,
    hidden: Annotated[str, typer.Option(help="gradescope: when hidden cases are shown; after_published.")] = "",
    leaderboard: Annotated[bool, typer.Option("--leaderboard", help="gradescope: with the speed of cases.")] = False,
    classroom: Annotated[str, typer.Option(help="classroom50: its short name.")] = "",
    assignment: Annotated[str, typer.Option(help="classroom50: its short name.")] = "",
    submitted_at: Annotated[str, typer.Option(help="classroom50: for submissions whose time is not known.")] = "",
    root: Root = ROOT,
) -> None:
    """Write the files that an LMS takes; a grade that is open gets no number anywhere."""
    from grader.commands import export_grades

    wanted = export_grades.Wanted(
        to=to,
        output=output,
        replace=replace,
        dry_run=dry_run,
        gradebook=gradebook,
        columns=tuple(column or ()),
        match=tuple(match or ()),
        hidden=hidden,
        leaderboard=leaderboard,
        classroom=classroom,
        assignment=assignment,
        submitted_at=submitted_at,
    )
    run(export_grades.run, root, batch, wanted)


@app.command(rich_help_panel=PANEL)
def override(
    batch: Annotated[Path, typer.Argument(help="A batch's folder.")],
    submission: Annotated[str, typer.Argument(help="Its id, as in the table of `batch`.")],
    exercise: Annotated[str, typer.Argument(help="Name of the exercise.")],
    points: Annotated[float | None, typer.Argument(help="Before lateness.")] = None,
    reason: Annotated[str, typer.Option(help="The student reads it.")] = "",
    by: Annotated[str, typer.Option(help="Who decides.")] = "",
    bonus: Annotated[bool, typer.Option("--bonus", help="More than the exercise's points are meant.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the decision back.")] = False,
    root: Root = ROOT,
) -> None:
    """Decide the points of one exercise by hand, with a reason; kept through every regrade."""
    from grader.commands import override_grade

    decision = override_grade.Decision(submission, exercise, points, reason, by, bonus, remove)
    run(override_grade.run, root, batch, decision)
