"""What is said beside a mark, and how it is shown; nothing is timed here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from grader import terminal
from grader.exercise import PerformanceCase
from grader.judge import judge
from grader.loading import load
from grader.report import ExerciseReport
from grader.status import Status
from grader.timing import evidence
from grader.timing.health import Health
from grader.timing.marks import mark
from grader.timing.measurement import CaseResult, Kernel, Measurement, Way
from tests.test_judge import setting
from tests.test_timing import MEMORY, exact, measured

DOUBLE = Path(__file__).parent / "content/exercises/double"
SOURCE = "@triton.jit\ndef softmax_kernel(x_ptr):\n    pass\n"


def notes(found: Measurement, kernels: tuple[Kernel, ...] = (), source: str = SOURCE) -> str:
    result = CaseResult(name="m", measurement=found, kernels=kernels)
    return "; ".join(evidence.notes(mark(found, MEMORY), result, source))


def test_an_honest_measurement_needs_no_word() -> None:
    assert notes(measured(exact(1.0)), (Kernel("softmax_kernel", 1.0, 0.99),)) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"events_ms": 0.5}, "the two clocks disagree"),
        ({"calls": 1}, "one call makes a batch"),
        ({"health": Health(1200, 90, "power cap")}, "slowed down while it was measured: power cap"),
    ],
)
def test_what_a_person_should_know_is_said(changes: dict[str, object], words: str) -> None:
    assert words in notes(replace(measured(exact(1.0)), **changes))  # type: ignore[arg-type]


def test_kernels_longer_than_the_call_are_said() -> None:
    assert "more than the call" in notes(measured(exact(1.0)), (Kernel("softmax_kernel", 2.0, 1.3),))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("void at::native::(anonymous namespace)::cunn_SoftMax<float, 4>(float*, long)", "cunn_SoftMax"),
        ("softmax_kernel", "softmax_kernel"),
        ("gelu_kernel(float const*, float*, long)", "gelu_kernel"),
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm>(Params)", "Kernel2"),
        ("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n", "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n"),
    ],
)  # fmt: skip
def test_the_bare_name_of_a_kernel(name: str, function: str) -> None:
    assert Kernel(name, 1.0, 0.1).function == function


def test_a_library_kernel_is_evidence_where_ones_own_was_asked_for() -> None:
    kernels = (
        Kernel("softmax_kernel", 1, 0.5),
        Kernel("void at::native::vectorized_elementwise_kernel<4>(int)", 1, 0.4),
    )
    found = measured(exact(1.0))
    assert "does not define: vectorized_elementwise_kernel" in notes(found, kernels)
    assert notes(found, (Kernel("Memset (Device)", 1, 0.1), Kernel("softmax_kernel", 1, 0.5))) == ""
    assert notes(found, kernels, source="") == ""


def report(found: Measurement) -> ExerciseReport:
    case = PerformanceCase(name="m", points=8, arguments={}, bound="memory", full_at=0.8, zero_at=0.4)
    exercise = load(DOUBLE).model_copy(update={"performance": (case,)})
    return judge(exercise, [setting()], "cuda", [CaseResult(name="m", measurement=found)], SOURCE)


def shown(found: ExerciseReport) -> str:
    console = Console(width=140, file=None, record=True)
    with console.capture() as captured:
        console.print(terminal.render_exercise(found))
    return captured.get()


def test_the_ways_are_shown_with_bars() -> None:
    ways = (Way("built-in", 1.0), Way("eager formula", 4.0), Way("torch.compile", 1.1))
    text = shown(report(replace(measured(exact(1.0)), ways=ways)))
    rows = [line.split() for line in text.splitlines() if "█" in line]
    assert [row[0] for row in rows] == ["yours", "built-in", "torch.compile", "eager"]
    assert len(rows[-1][-1]) == 4 * len(rows[0][-1])


def test_a_note_is_shown_beside_a_case_that_passed() -> None:
    found = report(replace(measured(exact(1.0)), calls=1))
    assert found.status is Status.PASSED
    assert "one call makes a batch" in shown(found)
