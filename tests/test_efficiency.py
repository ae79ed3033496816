"""Efficiency: what the bounds say of counts, how it is reported, and what becomes of a call that cannot be counted.

Whole gradings are in tests/golden/halve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from grader import bounds, grade, requirements, terminal
from grader.boundary import proxy
from grader.boundary.host import Host
from grader.boundary.proxy import SubmissionProxy
from grader.boundary.replies import check_form
from grader.boundary.workers import Workers
from grader.bounds import Counted, believed, mark
from grader.efficiency import NEEDS_GXX, count
from grader.exercise import EfficiencyCase, Entry, Exercise
from grader.grade import Target
from grader.judge import judge
from grader.loading import load
from grader.records import Finding, Kind
from grader.status import Status
from grader.submission import Submission
from shared.cost import Cost
from shared.traffic import Site, Traffic, pack
from tests.test_judge import setting

HALVE = load(Path(__file__).parent / "content/exercises/halve")
CORRECT = (Path(__file__).parent / "golden/halve/correct/halve.py").read_text(encoding="utf-8")
SOURCE = "def kernel(x, y, tile):\n    a = x[i]\n    tile[j] = a\n    y[i] = a\n"
LOAD = Site(2, "load", "global", "x", requests=8, num_bytes=1024, transfers=32, ideal=32)
STORE = Site(4, "store", "global", "y", requests=8, num_bytes=1024, transfers=32, ideal=32)
TILE = Site(3, "store", "shared", "tile", requests=8, num_bytes=1024, transfers=8, ideal=8)


def counted(*sites: Site, launches: int = 1) -> Counted:
    return Counted("a.py", SOURCE, Traffic(launches, 1, 0, sites or (LOAD, STORE, TILE)), Cost(2048, 0))


def case(**given: Any) -> EfficiencyCase:
    return EfficiencyCase(name="a case", points=2, arguments={}, **given)


EVERY_BOUND = case(most_launches=1, most_traffic=1.0, least_coalesced=1.0, most_bank_conflicts=1.0)


def test_all_bounds_hold() -> None:
    given = mark(EVERY_BOUND, counted())
    assert (given.points, given.finding.status) == (2, Status.PASSED)


@pytest.mark.parametrize(
    ("bound", "found", "text", "lines"),
    [
        ({"most_launches": 1}, counted(launches=3), "launches 3 kernels, at most 1", ()),
        ({"most_launches": 0}, counted(), "launches 1 kernel, at most 0", ()),
        (
            {"most_traffic": 1.1},
            counted(replace(LOAD, num_bytes=1024 * 2200), STORE),
            "moves 1100.5× the fewest bytes (2,253,824 of 2,048); at most 1.1×",
            ("a.py:2: a = x[i]", "a.py:4: y[i] = a"),
        ),
        (
            {"most_traffic": 1.1},
            counted(replace(LOAD, num_bytes=1240), STORE),
            "moves 1.105× the fewest bytes (2,264 of 2,048); at most 1.1×",
            ("a.py:2: a = x[i]", "a.py:4: y[i] = a"),
        ),
        (
            {"least_coalesced": 0.9},
            counted(LOAD, replace(STORE, transfers=256)),
            "line 4 writes 8.0× the sectors it needs: neighbouring threads write `y` far apart "
            "(22% of all sectors are needed, at least 90%)",
            ("a.py:4: y[i] = a",),
        ),
        (
            {"least_coalesced": 0.9},
            counted(replace(LOAD, transfers=40), STORE),
            "line 2 reads 1.250× the sectors it needs: its accesses to `x` begin or end within a sector "
            "(88% of all sectors are needed, at least 90%)",
            ("a.py:2: a = x[i]",),
        ),
        (
            {"least_coalesced": 0.9},
            counted(replace(LOAD, line=0, name="", kind="atomic", transfers=320), STORE),
            "a kernel updates 10.0× the sectors it needs: neighbouring threads update memory far apart "
            "(18% of all sectors are needed, at least 90%)",
            (),
        ),
        (
            {"most_bank_conflicts": 1.5},
            counted(LOAD, STORE, replace(TILE, transfers=256)),
            "line 3: shared memory answers in 32 turns instead of 1 (32-way bank conflict) in `tile`; "
            "32.0× the fewest turns in all, at most 1.5×",
            ("a.py:3: tile[j] = a",),
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_broken_bound_names_the_line_and_the_factor(
    bound: dict[str, float], found: Counted, text: str, lines: tuple[str, ...]
) -> None:
    given = mark(case(**bound), found)
    assert (given.points, given.finding.status) == (0, Status.INEFFICIENT)
    assert given.finding.summary == text
    assert given.finding.lines == lines
    assert given.finding.diagnosis


@pytest.mark.parametrize("name", ["most_launches", "most_traffic", "least_coalesced", "most_bank_conflicts"])
def test_a_bound_that_is_not_given_holds(name: str) -> None:
    worse = counted(replace(LOAD, num_bytes=9999, transfers=99), STORE, replace(TILE, transfers=99), launches=9)
    bound = EVERY_BOUND.model_copy(update={name: None})
    assert len(list(bounds.breaches(EVERY_BOUND, worse.traffic, worse.cost))) == 4  # type: ignore[arg-type]
    assert len(list(bounds.breaches(bound, worse.traffic, worse.cost))) == 3  # type: ignore[arg-type]


def test_every_broken_bound_is_said_at_once() -> None:
    worse = counted(replace(LOAD, num_bytes=9999, transfers=99), STORE, launches=9)
    finding = mark(EVERY_BOUND, worse).finding
    assert [part in finding.summary for part in ("launches 9", "moves 5.4×", "line 2 reads 3.1×")] == [True] * 3
    assert len(set(finding.lines)) == len(finding.lines) == 2


def test_a_bound_is_kept_on_its_edge() -> None:
    edge = counted(replace(LOAD, num_bytes=1024 + 1024, transfers=96), STORE)
    assert mark(case(most_traffic=1.5, least_coalesced=0.5), edge).points == 2


def test_fewer_bytes_than_a_result_needs_are_not_believed() -> None:
    found = mark(case(most_launches=1), counted(LOAD)).finding
    assert (found.status, found.nobodys_fault) == (Status.NOT_MEASURED, True)
    assert "1,024 bytes were counted where 2,048 are needed" in found.summary


def test_only_words_and_lines_of_the_file_are_shown() -> None:
    strange = Traffic(
        1, 1, 0, tuple(replace(LOAD, line=line, name=n) for line, n in ((99, "seventeen"), (4, "tile[1]")))
    )
    assert [(site.line, site.name) for site in believed(strange, SOURCE).sites] == [(0, ""), (4, "tile")]


@pytest.mark.parametrize(
    "change",
    [
        lambda message: 5,
        lambda message: {**message, "launches": -1},
        lambda message: {**message, "launches": 10**13},
        lambda message: {**message, "sites": [[1, "load", "global", "x", 1, 1, float("inf"), 1]]},
        lambda message: {**message, "sites": [[1, "load", "global", "x", 1, 10**4000, 1, 1]]},
        lambda message: {**message, "sites": [[1, "load", "global", "x" * 1000, 1, 1, 1, 1]]},
        lambda message: {**message, "sites": message["sites"] * 5000},
        lambda message: {**message, "sites": {}},
    ],
)
def test_counts_of_another_form_are_refused(change: Callable[[Any], Any]) -> None:
    """A session treats whoever sends them as crashed."""
    good = pack(Traffic(1, 1, 0, (LOAD, STORE)))
    reply = {"op": "returned", "value": None, "fault": None}
    check_form("call", {**reply, "traffic": good})
    check_form("call", {**reply, "traffic": None})
    with pytest.raises(ValueError, match=r"none|too many"):
        check_form("call", {**reply, "traffic": change(good)})


def test_the_report_has_the_numbers_and_says_where_they_come_from() -> None:
    worse = counted(LOAD, replace(STORE, transfers=256))
    report = judge(HALVE, [setting(points=12)], "cpu", counted={c.name: worse for c in HALVE.efficiency})
    assert [(c.kind, c.status, c.points) for c in report.cases[1:]] == [
        (Kind.EFFICIENCY, Status.PASSED, 1),
        (Kind.EFFICIENCY, Status.INEFFICIENT, 0),
    ]
    seen = report.cases[2].efficiency
    assert seen is not None
    assert (seen.launches, seen.num_bytes, seen.fewest_bytes, seen.sectors, seen.fewest_sectors) == (
        (1, 2048, 2048, 288, 64)
    )
    assert seen.worst is not None
    assert (seen.worst.line, seen.worst.name, seen.worst.transfers) == (4, "y", 256)
    console = Console(width=200, record=True)
    console.print(terminal.render_exercise(report))
    text = console.export_text()
    assert "1 launch, 2,048 bytes (1× the fewest), 22% of its sectors needed; counted in the worker" in text
    assert "line 4 writes 8.0×" in text


def test_why_a_count_is_not_believed_is_shown() -> None:
    too_low = counted(LOAD)
    report = judge(HALVE, [setting(points=12)], "cpu", counted={c.name: too_low for c in HALVE.efficiency})
    console = Console(width=200, record=True)
    console.print(terminal.render_exercise(report))
    assert "1,024 bytes were counted where 2,048 are needed at least" in console.export_text()


@pytest.mark.parametrize(
    ("finding", "status", "not_measured"),
    [
        (Finding(Status.INCORRECT, "wrong values"), Status.NOT_RUN, 0),
        (Finding(Status.NOT_RUN, "no compiler", environment=True), Status.NOT_MEASURED, 3),
        (Finding(Status.GRADER_ERROR, "the test itself failed"), Status.NOT_MEASURED, 3),
    ],
)
def test_without_a_count_only_a_wrong_result_costs_points(finding: Finding, status: Status, not_measured: int) -> None:
    cases = judge(HALVE, [setting(finding)], "cpu").cases[1:]
    assert [case.status for case in cases] == [status] * 2
    assert sum(case.not_measured_points for case in cases) == not_measured


def test_points_are_part_of_the_exercise() -> None:
    assert HALVE.max_points == 15


def test_equal_arguments_share_one_call(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    exchange = SubmissionProxy._exchange

    def seen(*args: Any, **kwargs: Any) -> Any:
        calls.append(kwargs.get("run_kernels", True))
        return exchange(*args, **kwargs)

    monkeypatch.setattr(SubmissionProxy, "_exchange", seen)
    found = counts(HALVE, CORRECT, workers)
    assert found["one launch"] is found["each byte once"]
    assert found["one launch"].traffic is not None
    assert calls == [True, False]  # the second without kernels: is the result theirs?


ASKED = EfficiencyCase(
    name="predicts",
    points=1,
    arguments={"num_rows": 16, "num_cols": 40},
    predicted={"bytes": "predict_bytes", "programs": "predict_programs"},
)


@pytest.mark.parametrize(
    ("num_bytes", "programs", "status", "text"),
    [
        ("2 * 4 * num_cols * num_rows", "-(-num_rows * num_cols // 64)", Status.PASSED, ""),
        ("2 * 4 * num_cols * num_rows * 1.01", "10", Status.PASSED, ""),
        ("4 * num_cols * num_rows", "10", Status.INEFFICIENT, "says 2,560 bytes; 5,120 were counted"),
        ("5120", "11", Status.INEFFICIENT, "says 11 programs; 10 were counted"),
        ("float('nan')", "10", Status.INEFFICIENT, "says nan bytes"),
        ("'many'", "10", Status.INEFFICIENT, "says str (expected a number) for the bytes"),
        ("5120", "True", Status.INEFFICIENT, "says bool (expected a number)"),
        ("torch.ones(3)", "10", Status.INEFFICIENT, "says Tensor (expected a number)"),
        ("[1][2]", "10", Status.RUNTIME_ERROR, "IndexError"),
        ("os._exit(0)", "10", Status.CRASHED, "exit code 0"),
        ("todo()", "10", Status.NOT_ATTEMPTED, ""),
    ],
)
def test_predictions_are_held_to_what_was_counted(
    workers: Workers, num_bytes: str, programs: str, status: Status, text: str
) -> None:
    exercise = HALVE.model_copy(
        update={
            "efficiency": (ASKED, HALVE.efficiency[0]),
            "entries": (
                *HALVE.entries,
                Entry(name="predict_bytes", parameters=("num_cols", "num_rows"), declaration=""),
                Entry(name="predict_programs", parameters=("num_rows", "num_cols"), declaration=""),
            ),
        }
    )
    source = f"""import os
{CORRECT}
def predict_bytes(num_cols, num_rows):
    return {num_bytes}

def predict_programs(num_rows, num_cols):
    return {programs}

def todo():
    raise NotImplementedError
"""
    found = counts(exercise, source, workers)
    given = mark(ASKED, found["predicts"])
    assert given.finding.status is status
    assert text in given.finding.summary + given.finding.details
    assert given.points == (status is Status.PASSED)
    assert mark(HALVE.efficiency[0], found["one launch"]).points == 1  # whatever was predicted


def test_a_kernel_for_show_is_found_where_only_counts_are_taken(workers: Workers) -> None:
    text = CORRECT.replace("return halve_of(x)", "y = halve_of(x)\n    return torch.from_numpy(x.numpy() / 2)")
    finding = counts(HALVE, text, workers)["one launch"].finding
    assert finding is not None
    assert finding.status is Status.FORBIDDEN


def test_a_reference_that_fails_is_our_fault(workers: Workers) -> None:
    bad = HALVE.efficiency[0].model_copy(update={"arguments": {"num_rows": -1, "num_cols": 1}})
    found = counts(HALVE.model_copy(update={"efficiency": (bad,)}), CORRECT, workers)["one launch"].finding
    assert found is not None
    assert found.status is Status.GRADER_ERROR
    assert "not your fault" in found.summary


def test_on_a_gpu_machine_without_what_the_cpu_needs_nothing_is_lost(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    lack = Finding(Status.NOT_RUN, "no C++ compiler was found", environment=True)
    monkeypatch.setattr(requirements, "missing", lambda exercise, device: lack if device == "cpu" else None)
    host = Host(HALVE, CORRECT, "cuda", workers)
    found = grade.efficiency(
        HALVE, Submission("halve", Path(), CORRECT), [setting()], host, Target("cuda"), lambda *_: None, workers
    )
    host.close()
    case = judge(HALVE, [setting()], "cuda", counted=found).cases[1]
    assert (case.status, case.not_measured_points) == (Status.NOT_MEASURED, 1)
    assert case.message == "not counted: no C++ compiler was found"


def test_what_runs_on_a_gpu_is_counted_on_the_cpu(workers: Workers) -> None:
    host = Host(HALVE, CORRECT, "cuda", workers)
    submission = Submission("halve", Path(), CORRECT)
    found = grade.efficiency(HALVE, submission, [setting()], host, Target("cuda"), lambda *_: None, workers)
    host.close()
    assert found["one launch"].traffic == counts(HALVE, CORRECT, workers)["one launch"].traffic


def test_a_file_that_only_a_gpu_can_run_loses_nothing(workers: Workers) -> None:
    first, second = HALVE.efficiency
    other = second.model_copy(update={"arguments": {"num_rows": 2, "num_cols": 8}})
    host = Host(HALVE, CORRECT, "cpu", workers)
    host._refusal = Finding(Status.COMPILE_ERROR, "halve.cu does not compile", lines=("a line",))
    found = count(HALVE.model_copy(update={"efficiency": (first, other)}), host, 0, lambda case: None)
    host.close()
    assert [evidence.finding and evidence.finding.status for evidence in found.values()] == [Status.NOT_MEASURED] * 2


@pytest.fixture
def launcher(tmp_path: Path) -> Exercise:
    """A `.cu` exercise with a counted case."""
    double = load(Path(__file__).parent / "content/exercises/double_cuda")
    (tmp_path / "reference.py").write_text(
        (double.folder / "reference.py").read_text(encoding="utf-8")
        + "\n\ndef make_inputs(make, n):\n    return make.integers(n, low=-9, high=9), make.unwritten(n), n\n"
        + "\n\ndef cost(x):\n    from shared.cost import Cost\n\n    return Cost(8 * x.numel(), x.numel())\n",
        encoding="utf-8",
    )
    bounds = {"most_launches": 1, "most_traffic": 1.0, "least_coalesced": 1.0, "most_bank_conflicts": 1.0}
    one = EfficiencyCase(name="one launch", points=1, arguments={"n": 256}, **bounds)
    return double.model_copy(update={"folder": tmp_path, "efficiency": (one,)})


DOUBLE = (Path(__file__).parent / "golden/double_cuda/correct/double.cu").read_text(encoding="utf-8")


def test_a_launcher_is_counted_too(workers: Workers, launcher: Exercise) -> None:
    evidence = counts(launcher, DOUBLE, workers)["one launch"]
    assert evidence.traffic is not None
    assert (evidence.traffic.launches, evidence.traffic.global_bytes) == (1, 2048)
    assert mark(launcher.efficiency[0], evidence).points == 1


def test_a_back_end_that_does_not_count_is_said(
    workers: Workers, launcher: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "unpack", lambda message: Traffic(1, 1, 0, ()))
    evidence = counts(launcher, DOUBLE, workers)["one launch"]
    assert evidence.finding == Finding(Status.NOT_MEASURED, NEEDS_GXX)


def counts(exercise: Exercise, text: str, workers: Workers) -> dict[str, Counted]:
    host = Host(exercise, text, "cpu", workers)
    try:
        return count(exercise, host, 0, lambda case: None)
    finally:
        host.close()
