"""The report on a terminal: a pure function of the report record, rendered by rich."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from grader.report import CaseReport, EfficiencyReport, ExerciseReport, Report
from grader.status import Status
from grader.timing.marks import BASELINE_SPEED

_COLOURS = {
    Status.PASSED: "green",
    Status.NOT_MEASURED: "dim",
    Status.NOT_ATTEMPTED: "yellow",
    Status.NOT_RUN: "yellow",
    Status.GRADER_ERROR: "magenta",
}
_MARKS = {Status.PASSED: "✓", Status.NOT_MEASURED: "·", Status.NOT_ATTEMPTED: "○"}
_MAX_OUTPUT_LINES = 15
BAR_WIDTH = 40
SPILLS = "more values are alive at once than a thread has registers: a smaller block, or more warps, leaves fewer"
SPILLS_IN_CUDA = "more values are alive at once than a thread has registers: keep fewer of them, or unroll less"


def show(report: Report, console: Console) -> None:
    """Print the whole report: each exercise, then the sum."""
    for exercise in report.exercises:
        console.print(render_exercise(exercise))
    console.print(_summary(report))


def render_exercise(exercise: ExerciseReport) -> RenderableType:
    """One exercise: its cases in a line each, then what went wrong, then what to do next."""
    title = f"[bold]{escape(exercise.name)}[/]  {escape(exercise.title)}"
    parts: list[RenderableType] = [Rule(title, align="left", style="dim"), _cases(exercise)]
    parts += [_ways(case) for case in exercise.cases if case.performance is not None and case.performance.ways]
    parts += [Text(f"  {c.name}: {c.diagnosis}", style="dim") for c in exercise.cases if _has_note(c)]
    parts += [Text(f"  {line}", style="dim") for line in _kernels(exercise)]
    parts += _problems(exercise)
    parts.append(Text.assemble("→ ", (exercise.status.value, _colour(exercise.status)), f"  {exercise.next_step}\n"))
    return Group(*parts)


def _cases(exercise: ExerciseReport) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for column in ("mark", "name", "status", "points", "title"):
        table.add_column(column, no_wrap=column != "title", justify="right" if column == "points" else "left")
    for case in exercise.cases:
        colour = _colour(case.status)
        table.add_row(
            Text(_MARKS.get(case.status, "✗"), style=colour),
            Text(case.name),
            Text(case.status.value, style=colour),
            Text(f"{case.points}/{case.max_points}" if case.max_points else "–"),
            Text(case.title or numbers(case) or _reason(case), style="dim"),
        )
    return table


def _counts(seen: EfficiencyReport) -> str:
    """What was counted, in a line."""
    parts = [f"{seen.launches} launch{'es' * (seen.launches != 1)}", f"{seen.num_bytes:,} bytes"]
    if seen.fewest_bytes:
        parts[-1] += f" ({seen.num_bytes / seen.fewest_bytes:.3g}× the fewest)"
    if seen.sectors:
        parts.append(f"{seen.fewest_sectors / seen.sectors:.0%} of its sectors needed")
    if seen.fewest_wavefronts:
        parts.append(f"{seen.wavefronts / seen.fewest_wavefronts:.3g}× the fewest turns of shared memory")
    return f"{', '.join(parts)}; counted in the worker"


def numbers(case: CaseReport) -> str:
    """What was counted or what the clock gave, in a line; empty where there is nothing."""
    if case.efficiency is not None and case.status is not Status.NOT_MEASURED:
        return _counts(case.efficiency)
    seen = case.performance
    if seen is None:
        return ""
    compared = seen.share_of != BASELINE_SPEED
    spread = (seen.high_ms - seen.low_ms) / 2 / seen.time_ms
    return (
        f"{seen.time_ms:.4g} ms ± {spread:.1%} ({seen.samples} batches of {seen.calls}), "
        f"{seen.share:.0%} of {seen.share_of}" + (f", {seen.speedup:.2f}× the baseline" if compared else "")
    )


def _ways(case: CaseReport) -> RenderableType:
    """The same computed in other ways, with bars: the shorter, the faster."""
    seen = case.performance
    assert seen is not None
    times = sorted([("yours", seen.time_ms), *((way.name, way.time_ms) for way in seen.ways)], key=lambda row: row[1])
    longest = max(time for _, time in times)
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False, title=case.name, title_justify="left")
    for name, time in times:
        bar = "█" * max(1, round(BAR_WIDTH * time / longest))
        style = "bold" if name == "yours" else ""
        table.add_row(Text(name, style=style), f"{time:.4g} ms", Text(bar, style="cyan" if style else "dim"))
    return Padding(table, (1, 0, 1, 2))


def _has_note(case: CaseReport) -> bool:
    """Whether something is to be said beside a measurement that needs no mending."""
    return case.performance is not None and case.status is Status.PASSED and bool(case.diagnosis)


def _kernels(exercise: ExerciseReport) -> Iterator[str]:
    """Each kernel as it is compiled for a GPU, in a line, and what to do where it spills."""
    for kernel in exercise.kernels:
        moved = {"loads": kernel.load_bytes, "stores": kernel.store_bytes}
        spills = f"spills {kernel.spill_bytes} bytes" if kernel.spill_bytes else "no spills"
        facts = [f"{kernel.registers} registers", spills]
        facts += [f"{word} {size} bytes at a time" for word, size in moved.items() if size]
        facts += [f"{kernel.shuffles} shuffles"] if kernel.shuffles else []
        facts += ["tensor cores"] if kernel.uses_tensor_cores else []
        facts += [f"{kernel.shared_bytes:,} bytes of shared memory"] if kernel.shared_bytes else []
        yield f"{kernel.name}: {', '.join(facts)}"
        if kernel.spill_bytes:
            hint = SPILLS_IN_CUDA if exercise.file.endswith(".cu") else SPILLS
            yield f"{' ' * len(kernel.name)}  {hint}"
    if exercise.kernels_note:
        yield exercise.kernels_note


def _reason(case: CaseReport) -> str:
    return case.message if case.status is Status.NOT_MEASURED else ""


def _problems(exercise: ExerciseReport) -> Iterator[RenderableType]:
    """Each different problem once: fifty cases that fail to compile have one."""
    seen: dict[tuple[object, ...], list[str]] = {}
    cases: dict[tuple[object, ...], CaseReport] = {}
    for case in exercise.cases:
        if case.status in (Status.PASSED, Status.NOT_MEASURED):
            continue
        key: tuple[object, ...] = (case.status, case.message, case.diagnosis, tuple(case.lines))
        seen.setdefault(key, []).append(case.setting or case.name)
        cases.setdefault(key, case)
    for key, names in seen.items():
        yield _problem(cases[key], names)


def _problem(case: CaseReport, names: list[str]) -> RenderableType:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    lines: list[RenderableType] = [Text.assemble((case.status.value, _colour(case.status)), "  ", (shown, "bold"))]
    lines += [Text(f"  {part}") for part in (case.message, case.diagnosis) if part]
    lines += [Text(f"    {line}", style="cyan") for line in case.lines]
    if case.output.strip():
        lines.append(Text("  your prints:", style="dim"))
        lines += [Text(f"    {line}", style="dim") for line in _cut(case.output)]
    return Padding(Group(*lines), (0, 0, 1, 0))


def _cut(output: str) -> list[str]:
    lines = output.rstrip().splitlines()
    if len(lines) <= _MAX_OUTPUT_LINES:
        return lines
    left = len(lines) - _MAX_OUTPUT_LINES
    return [*lines[:_MAX_OUTPUT_LINES], f"… {left} more lines (all of them: --json FILE)"]


def _colour(status: Status) -> str:
    return _COLOURS.get(status, "red")


_NO_SANDBOX = "NO SANDBOX: for your own files only. `python -m grader doctor` says how to get one."


def _summary(report: Report) -> RenderableType:
    table = Table(box=None, padding=(0, 2), pad_edge=False, header_style="dim")
    table.add_column("exercise")
    table.add_column("status")
    table.add_column("points", justify="right")
    table.add_column("not measured here", justify="right")
    for exercise in report.exercises:
        table.add_row(
            Text(exercise.name),
            Text(exercise.status.value, style=_colour(exercise.status)),
            f"{exercise.points}/{exercise.max_points}",
            str(exercise.not_measured_points or ""),
        )
    table.add_section()
    table.add_row(
        Text("total", style="bold"), "", f"{report.points}/{report.max_points}", str(report.not_measured_points or "")
    )
    where = (
        f"{report.device.kind} ({report.device.name}), seed {report.seed}, isolation: {report.environment.isolation}"
    )
    lines = [Text(where, style="dim")]
    if report.environment.isolation == "none":
        lines.append(Text(_NO_SANDBOX, style="yellow"))
    return Group(Rule("points", align="left", style="dim"), table, *lines)
