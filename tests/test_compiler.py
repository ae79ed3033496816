"""The verdict on what the interpreter runs and a GPU's compiler refuses; and what a worker may say of it."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console

from grader import compiler
from grader.boundary import compiling
from grader.boundary.replies import check_form
from grader.boundary.sandbox import command
from grader.boundary.server import Plan
from grader.boundary.workers import Workers
from grader.compiler import applied
from grader.grade import Target, grade
from grader.judge import judge
from grader.loading import load
from grader.records import PASSED, Failure, Finding, Setting, Visibility
from grader.status import Status
from grader.terminal import SPILLS, render_exercise
from shared import triton_refusals
from shared.compiled_kernels import Compiled, Kernel, Refusal

HERE = Path(__file__).parent
EXERCISE = load(HERE / "content/exercises/quadruple")
CORRECT = HERE / "golden/quadruple/correct/quadruple.py"
TEXT = CORRECT.read_text(encoding="utf-8")
KERNEL = Kernel("kernel", 7, 22, 0, 16, 8, 14, False, 0)
REFUSAL = Refusal("kernel", 11, triton_refusals.NAME, "y is not defined")


def setting(finding: Finding = PASSED, test: str = "test_vector", hidden: bool = False) -> Setting:
    visibility = Visibility.PATTERN if hidden else Visibility.FULL
    return Setting(test, test, "a title", 2, visibility, hidden, finding)


def test_what_passed_becomes_a_compile_error_and_the_rest_stays() -> None:
    wrong = Finding(Status.INCORRECT, "wrong values")
    found = applied(EXERCISE, [setting(), setting(wrong)], Compiled(refusal=REFUSAL), TEXT)
    assert [s.finding.status for s in found] == [Status.COMPILE_ERROR, Status.INCORRECT]
    finding = found[0].finding
    assert finding.lines == ("quadruple.py:11: tl.store(y_ptr + offsets, 4 * x, mask=mask)",)
    assert (finding.details, finding.diagnosis) == ("y is not defined", triton_refusals.ADVICE[triton_refusals.NAME])


def test_nothing_changes_where_nothing_is_refused() -> None:
    settings = [setting(), setting(Finding(Status.INCORRECT, "wrong values"))]
    for found in (Compiled((KERNEL,)), Compiled(problem="no answer"), Compiled()):
        assert applied(EXERCISE, settings, found, TEXT) == settings


def test_a_hidden_case_shows_the_students_line_and_nothing_that_the_worker_said() -> None:
    """What a worker says can spell what it has seen; the line's number and kind are all that is taken from it."""
    odd = replace(REFUSAL, kernel="0.123", kind="0.456", reason="0.789", line=10**9)
    (found,) = applied(EXERCISE, [setting(hidden=True)], Compiled(refusal=odd), TEXT)
    case = judge(EXERCISE, [found], "cpu").cases[0]
    assert (case.diagnosis, case.lines) == ("", [])
    assert "0." not in case.message


def shown(found: Compiled) -> str:
    written = io.StringIO()
    Console(width=120, file=written).print(render_exercise(judge(EXERCISE, [setting()], "cpu", compiled=found)))
    return written.getvalue()


def test_a_line_for_each_kernel() -> None:
    line = "kernel: 22 registers, no spills, loads 16 bytes at a time, stores 8 bytes at a time, 14 shuffles"
    assert f"  {line}\n" in shown(Compiled((KERNEL,))).replace(" \n", "\n")
    assert SPILLS not in shown(Compiled((KERNEL,)))


def test_spills_get_a_hint() -> None:
    text = shown(Compiled((replace(KERNEL, spill_bytes=128, uses_tensor_cores=True, shared_bytes=4096),)))
    assert "spills 128 bytes" in text
    assert "tensor cores" in text
    assert SPILLS in text


def test_a_compiler_that_gave_no_answer_is_a_note_in_the_report() -> None:
    report = judge(EXERCISE, [setting()], "cpu", compiled=Compiled(problem="no answer within 5 s"))
    assert (report.status, report.points, report.kernels) == (Status.PASSED, 2, [])
    assert report.kernels_note == "not everything was compiled: no answer within 5 s"


HONEST: dict[str, Any] = {"op": "compiled", "kernels": [KERNEL.row()], "refusal": REFUSAL.row(), "problem": "odd"}


def test_an_honest_reply() -> None:
    check_form("compile", HONEST)
    assert compiling.evidence(HONEST, TEXT) == Compiled((KERNEL,), REFUSAL, "odd")
    assert compiling.evidence({**HONEST, "refusal": None, "problem": None}, TEXT) == Compiled((KERNEL,))


@pytest.mark.parametrize(
    "change",
    [
        {"op": "returned", "value": 1, "fault": None},
        {"kernels": None},
        {"kernels": {"kernel": 1}},
        {"kernels": [["kernel", 1, 2.5]]},
        {"kernels": [KERNEL.row()[:-1]]},
        {"kernels": [["kernel", *["22"] * 8]]},
        {"kernels": [["kernel", *[1.5] * 8]]},
        {"kernels": [["kernel", *[10**400] * 8]]},
        {"kernels": [[7, *KERNEL.row()[1:]]]},
        {"refusal": "kernel"},
        {"refusal": ["kernel", "11", "name", "y"]},
        {"refusal": ["kernel", 11, "name"]},
        {"refusal": ["kernel", 11, "name", None]},
        {"problem": 5},
    ],
    ids=lambda change: str(change)[:40],
)
def test_a_forged_reply_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        check_form("compile", {**HONEST, **change})


def test_no_more_is_taken_of_a_reply_than_an_honest_one_has() -> None:
    long = {**HONEST, "kernels": [["k" * 10**5, *KERNEL.row()[1:]]] * 1000, "problem": "p" * 10**5}
    found = compiling.evidence(long, TEXT)
    assert (len(found.kernels), len(found.problem)) == (compiling.MAX_KERNELS, compiling.MAX_TEXT)
    assert found.kernels[0].name == "a kernel", "its name does not stand in the file"


def test_a_worker_that_forges_its_reply_is_ended_as_crashed(workers: Workers) -> None:
    text = (HERE / "golden/quadruple/forged_compilation/quadruple.py").read_text(encoding="utf-8")
    with pytest.raises(Failure) as failure:
        compiling.compiled(EXERCISE, text, (torch.randn(1024),), workers)
    assert failure.value.finding.status is Status.CRASHED


def graded(workers: Workers, path: Path = CORRECT) -> Any:
    return grade([EXERCISE], [path], Target("cpu"), workers=workers).exercises[0]


def test_a_compiler_that_hangs_costs_nothing(workers: Workers, tmp_path: Path) -> None:
    path = tmp_path / "quadruple.py"
    path.write_text(TEXT.replace("    return y", "    while x.numel() == 1024:\n        pass\n    return y"))
    report = graded(workers, path)
    assert (report.status, report.points) == (Status.PASSED, 3)
    assert report.kernels_note == "not everything was compiled: no answer within 5 s; the process was ended"


def test_an_exception_of_ours_costs_nothing(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_inputs", lambda exercise, seed: ("no tensor",))
    report = graded(workers)
    assert (report.status, report.points) == (Status.PASSED, 3)
    assert report.kernels_note.startswith("not everything was compiled: ")


def test_a_worker_that_does_not_start_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a version of Triton that our stand-in does not fit."""
    usual = command.environment
    monkeypatch.setattr(command, "environment", lambda *given: {**usual(*given), "TRITON_INTERPRET": "1"})
    with Workers() as own:
        report = graded(own)
    assert (report.status, report.points) == (Status.PASSED, 3)
    assert "a worker did not start" in report.kernels_note
    assert report.kernels_note.endswith("RuntimeError: TRITON_INTERPRET was set when Triton was imported")


def test_nothing_is_compiled_where_nothing_passed(workers: Workers, tmp_path: Path) -> None:
    path = tmp_path / "quadruple.py"
    path.write_text(TEXT.replace("4 * x", "5 * x"))
    report = graded(workers, path)
    assert (report.status, report.kernels, report.kernels_note) == (Status.INCORRECT, [], "")


def test_an_exercise_without_a_small_input_is_not_compiled() -> None:
    assert [plan.mode for plan in Plan.all_of(EXERCISE, "cpu")] == ["torch", "compiler"]
    assert [plan.mode for plan in Plan.all_of(EXERCISE, "cuda")] == ["cuda", "torch"]
    without = EXERCISE.model_copy(update={"efficiency": ()})
    assert [plan.mode for plan in Plan.all_of(without, "cpu")] == ["torch"]
    in_cuda = load(HERE / "content/exercises/double_cuda")
    assert [plan.mode for plan in Plan.all_of(in_cuda, "cuda")] == ["cuda", "bare"]
