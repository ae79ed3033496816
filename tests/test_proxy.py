"""`submission` as a test sees it, with real workers: memory lent and taken back, callbacks, odd results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from grader.boundary.host import Host
from grader.boundary.proxy import SubmissionProxy
from grader.boundary.results import Odd
from grader.boundary.workers import Workers
from grader.exercise import Entry, Exercise, Limits, Points
from grader.records import Failure
from grader.status import Status
from shared.cuda import prototype


def exercise(file: str, *declarations: str) -> Exercise:
    prototypes, entries = [], []
    for text in declarations:
        if file.endswith(".cu"):
            prototypes.append(prototype.parse(text))
            names = tuple(p.name for p in prototype.arguments(prototypes[-1]))
            entries.append(Entry(name=prototypes[-1].name, parameters=names, declaration=text))
        else:
            name, _, rest = text.partition("(")
            names = tuple(part.strip() for part in rest.rstrip(")").split(",") if part.strip())
            entries.append(Entry(name=name, parameters=names, declaration=text))
    return Exercise(
        name="a_test",
        folder=Path(),
        title="",
        order=0,
        lecture="",
        file=file,
        stub_digest="",
        entries=tuple(entries),
        prototypes=tuple(prototypes),
        requires=(),
        device="any",
        limits=Limits(call_s=5.0),
        points=Points(visible=0, hidden=0),
        performance=(),
    )


class Submissions:
    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.proxies: list[SubmissionProxy] = []

    def python(self, text: str, *declarations: str) -> SubmissionProxy:
        return self.add(exercise("answer.py", *(declarations or ("f(x)",))), text)

    def cuda(self, text: str, declaration: str) -> SubmissionProxy:
        return self.add(exercise("answer.cu", declaration), text)

    def add(self, made: Exercise, text: str) -> SubmissionProxy:
        self.proxies.append(SubmissionProxy(Host(made, text, "cpu", self.workers), "cpu"))
        return self.proxies[-1]


@pytest.fixture
def submissions(workers: Workers) -> Iterator[Submissions]:
    found = Submissions(workers)
    yield found
    for proxy in found.proxies:
        proxy.close()


@pytest.mark.parametrize(
    "x",
    [
        torch.randn(3, 4).T,
        torch.randn(6, 8)[1:5:2, ::3],
        torch.randn(4).expand(3, 4),
        torch.empty(0),
        torch.empty(0, 5),
        torch.tensor(2.5),
        torch.randn(9)[1:],
        torch.randn(5).bfloat16(),
        torch.randn(5).half(),
        torch.arange(4),
        torch.tensor([True, False]),
        torch.randn(3, dtype=torch.float64),
    ],
    ids=lambda x: f"{x.dtype} {tuple(x.shape)} {x.stride()}",
)
def test_a_view_arrives_with_its_strides_and_comes_back(submissions: Submissions, x: torch.Tensor) -> None:
    proxy = submissions.python("def f(x):\n    return x.clone(), list(x.stride()), x.storage_offset(), str(x.dtype)\n")
    out, stride, offset, dtype = proxy.f(x)
    assert torch.equal(out, x)
    assert (tuple(stride), offset, dtype) == (x.stride(), x.storage_offset(), str(x.dtype))


def test_two_arguments_that_share_memory_still_do(submissions: Submissions) -> None:
    base = torch.arange(6.0)
    proxy = submissions.python(
        "def f(x, y):\n    return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()\n", "f(x, y)"
    )
    assert proxy.f(base[:3], base[3:]) is True
    assert proxy.f(base, base.clone()) is False


def test_tensors_do_not_overlap(submissions: Submissions) -> None:
    proxy = submissions.python("def f(x, y, z):\n    return x + 10 * y + 100 * z\n", "f(x, y, z)")
    x, y, z = torch.randn(3, 5).T, torch.randn(8, 5)[2:7, 1:4], torch.randn(5, 3)
    assert torch.equal(proxy.f(x, y, z), x + 10 * y + 100 * z)


def test_the_memory_between_the_rows_is_watched(submissions: Submissions) -> None:
    proxy = submissions.python("def f(x):\n    x.as_strided((1,), (1,), 3).zero_()\n    return x\n")
    with pytest.raises(Failure, match="changed its input x"):
        proxy.f(torch.randn(2, 5)[:, :3])


@pytest.mark.parametrize("value", [None, 3, 2.5, "text", [1, (2,)], {"a": [None]}, float("inf")])
def test_plain_results_come_back(submissions: Submissions, value: object) -> None:
    found = submissions.python(f"from math import inf\n\ndef f(x):\n    return {value!r}\n").f(0)
    assert found == (Odd("None") if value is None else value)


def test_results_may_hold_tensors_anywhere(submissions: Submissions) -> None:
    found = submissions.python("def f(x):\n    return {'a': [x, (2 * x, 7)]}\n").f(torch.ones(2))
    assert torch.equal(found["a"][1][0], torch.full((2,), 2.0))
    assert found["a"][1][1] == 7


def test_using_an_odd_result_is_the_students_failure(submissions: Submissions) -> None:
    out = submissions.python("def f(x):\n    return object()\n").f(0)
    with pytest.raises(Failure, match=r"returned object, expected a torch\.Tensor"):
        out.sum()


def test_functions_of_the_grader_can_be_called(submissions: Submissions) -> None:
    calls: list[object] = []

    def ask(a: int, b: int = 2) -> list[int]:
        calls.append((a, b))
        return [a + b]

    proxy = submissions.python("def f(run):\n    return [run(1), run(2, b=5)]\n", "f(run)")
    assert proxy.f(ask) == [[3], [7]]
    assert calls == [(1, 2), (2, 5)]


def test_wrong_arguments_of_a_callback_are_the_students_error(submissions: Submissions) -> None:
    proxy = submissions.python(
        "def f(run):\n    try:\n        run(1, 2, 3)\n    except TypeError:\n        return 'caught'\n", "f(run)"
    )
    assert proxy.f(lambda a: a) == "caught"


def test_functions_and_classes_are_replaced_before_the_import(submissions: Submissions) -> None:
    class Counter:
        def __init__(self, start: int = 0) -> None:
            self.count = start

        def add(self, other: object = None) -> int:
            self.count += other.count if isinstance(other, Counter) else 1
            return self.count

    text = (
        "from time import perf_counter\nimport time\nfrom torch.cuda import Event\n\n"
        "def f(x):\n    a, b = Event(10), Event(start=5)\n    a.add()\n"
        "    return [perf_counter(), time.perf_counter(), a.add(b), b.add(), isinstance(a, Event)]\n"
    )
    proxy = submissions.python(text)
    proxy.replace({"time.perf_counter": lambda: 42.0, "torch.cuda.Event": Counter})
    assert proxy.f(0) == [42.0, 42.0, 16, 6, True]


def test_a_stand_in_that_the_worker_invents_does_not_exist(submissions: Submissions) -> None:
    text = (
        "from torch.cuda import Event\n\n"
        "def f(x):\n    e = Event.__new__(Event)\n    e._class, e._handle = 0, 99\n    e.record()\n"
    )
    proxy = submissions.python(text)
    proxy.replace({"torch.cuda.Event": type("Event", (), {"record": lambda self: None})})
    with pytest.raises(Failure) as caught:
        proxy.f(0)
    assert caught.value.finding.status is Status.CRASHED


def test_a_cuda_output_is_filled_in_place_and_inputs_are_watched(submissions: Submissions) -> None:
    declaration = "int f(const float* x, float* y, int n, double a, cudaStream_t stream)"
    text = (
        "__global__ void k(const float* x, float* y, int n, double a) {"
        " int i = threadIdx.x; if (i < n) y[i] = float(a) * x[i]; }\n"
        'extern "C" int f(const float* x, float* y, int n, double a, cudaStream_t stream) {'
        " k<<<1, 64, 0, stream>>>(x, y, n, a); return cudaGetLastError(); }\n"
    )
    x, y = torch.randn(50)[1:], torch.full((49,), float("nan"))
    assert submissions.cuda(text, declaration).f(x, y, 49, 3.0) == 0
    assert torch.equal(y, 3 * x)


def test_a_cuda_file_may_be_given_empty_tensors(submissions: Submissions) -> None:
    text = 'extern "C" int f(const float* x, float* y, int n, cudaStream_t stream) { return n; }\n'
    proxy = submissions.cuda(text, "int f(const float* x, float* y, int n, cudaStream_t stream)")
    assert proxy.f(torch.empty(0), torch.empty(0), 0) == 0


def test_only_declared_functions_can_be_called(submissions: Submissions) -> None:
    with pytest.raises(AttributeError, match="no entry 'g'"):
        submissions.python("def f(x):\n    return x\n").g  # noqa: B018


def test_each_proxy_has_a_process_of_its_own(submissions: Submissions) -> None:
    text = "import os\nseen = []\n\ndef f(x):\n    seen.append(x)\n    return [os.getpid(), len(seen)]\n"
    made = exercise("answer.py", "f(x)")
    first, second = submissions.add(made, text), submissions.add(made, text)
    assert first.f(0)[1] == 1
    assert first.f(0)[1] == 2
    assert second.f(0)[1] == 1
    assert first.f(0)[0] != second.f(0)[0]


def test_the_worker_has_a_clean_environment_and_an_empty_folder(
    submissions: Submissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import os\n\ndef f(x):\n    return [sorted(os.environ), os.listdir('.')]\n"
    names, files = submissions.python(text).f(0)
    assert files == ["answer.py"]
    assert not [name for name in names if "PYTEST" in name or "SECRET" in name or "TOKEN" in name]


def test_exercises_named_by_relative_paths_are_not_confused(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their test files have the same name; each exercise runs its own."""
    from grader.grade import Target, grade
    from grader.loading import load

    tests = Path(__file__).parent
    monkeypatch.chdir(tests)
    exercises = [load(Path("content/exercises") / name) for name in ("double", "double_cuda", "double")]
    files = [tests / "golden" / e.name / "correct" / e.file for e in exercises]
    report = grade(exercises, files, Target("cpu"), workers=workers)
    assert [e.status.value for e in report.exercises] == ["passed"] * 3
