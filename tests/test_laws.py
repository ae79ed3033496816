"""Each law of `check` can be broken: a sound exercise keeps them all, and one change breaks the one that it should."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader import requirements
from grader.boundary.workers import Workers
from grader.commands.check_content import check_exercise
from grader.commands.new_exercise import run as new
from grader.grade import Target
from grader.laws import NotRun, Problem
from grader.loading import load, load_all
from grader.submission import digest

NAME = "row_scale"


class Content:
    """A new exercise's two folders, to be broken."""

    def __init__(self, root: Path) -> None:
        (root / "exercises").mkdir()
        new(root, NAME, cuda=False)
        self.root = root
        self.exercise = root / "exercises" / NAME
        self.solution = root / "solutions" / NAME

    def replace(self, file: Path, old: str, text: str) -> None:
        before = file.read_text(encoding="utf-8")
        assert old in before
        file.write_text(before.replace(old, text), encoding="utf-8")

    def check(self, workers: Workers) -> list[Problem | NotRun]:
        found = load(self.exercise)
        return check_exercise(self.root, found, Target("cpu"), workers, lambda exercise, case: None)


@pytest.fixture
def content(tmp_path: Path) -> Content:
    return Content(tmp_path)


def test_a_sound_exercise_keeps_every_law(content: Content, workers: Workers) -> None:
    assert content.check(workers) == []


def test_a_sound_exercise_with_counted_cases_keeps_every_law(content: Content, workers: Workers) -> None:
    counted(content)
    assert content.check(workers) == []


def extra_file(c: Content) -> None:
    (c.exercise / "notes.txt").write_text("x")


def missing_readme(c: Content) -> None:
    (c.exercise / "README.md").unlink()


def readme_without_the_function(c: Content) -> None:
    (c.exercise / "README.md").write_text("Something else.")


def missing_hint(c: Content) -> None:
    c.replace(c.exercise / "hints.yaml", "place:", "plaice:")


def stub_without_todo(c: Content) -> None:
    c.replace(c.exercise / f"{NAME}.py", "TODO", "to do")


def stub_with_other_tokens(c: Content) -> None:
    c.replace(c.exercise / f"{NAME}.py", "raise NotImplementedError", "raise NotImplementedError()")


def stub_that_is_solved(c: Content) -> None:
    stub = c.exercise / f"{NAME}.py"
    old = digest(stub.name, stub.read_text())
    stub.write_text((c.solution / f"{NAME}.py").read_text() + "# TODO\n")
    c.replace(c.exercise / "exercise.yaml", old, digest(stub.name, stub.read_text()))


def stub_that_cannot_be_loaded(c: Content) -> None:
    stub = c.exercise / f"{NAME}.py"
    old = digest(stub.name, stub.read_text())
    c.replace(stub, "import torch\n", "import torch\nimport nothing_of_this_name\n")
    c.replace(c.exercise / "exercise.yaml", old, digest(stub.name, stub.read_text()))


def other_parameters(c: Content) -> None:
    c.replace(c.solution / f"{NAME}.py", f"def {NAME}(x:", f"def {NAME}(y:")


def solution_that_is_wrong(c: Content) -> None:
    c.replace(c.solution / f"{NAME}.py", "2 * tl.load", "3 * tl.load")


def points_that_do_not_add_up(c: Content) -> None:
    c.replace(c.exercise / "exercise.yaml", "visible: 2", "visible: 3")


def test_without_a_title(c: Content) -> None:
    c.replace(c.exercise / "test_visible.py", '    """a block of 128 elements"""\n', "")


test_without_a_title.__test__ = False  # type: ignore[attr-defined]


def rejected_in_a_folder_that_is_no_status(c: Content) -> None:
    (c.solution / "rejected/incorrect").rename(c.solution / "rejected/wrong")


def rejected_of_another_kind(c: Content) -> None:
    (c.solution / "rejected/incorrect/kernel.cu").write_text("int x;")


def rejected_that_is_right(c: Content) -> None:
    (c.solution / "rejected/incorrect/right.py").write_text((c.solution / f"{NAME}.py").read_text())


def rejected_with_another_status(c: Content) -> None:
    (c.solution / "rejected/timeout").mkdir()
    (c.solution / "rejected/timeout/not.py").write_text(f"def {NAME}(x):\n    return x\n")


def too_few_rejected(c: Content) -> None:
    for file in (c.solution / "rejected").glob("*/*"):
        if file.parent.name != "incorrect":
            file.unlink()


def no_forbidden_file(c: Content) -> None:
    for file in (c.solution / "rejected/forbidden").glob("*"):
        file.unlink()


COUNTED = """
efficiency:
  - name: one launch
    points: 1
    arguments: {num_elements: 1000}
    most_launches: 1
"""
INPUTS = """

def make_inputs(make, num_elements):
    return (make.randn(num_elements),)


def baseline(x):
    return x + x


def cost(x):
    from shared.cost import Cost

    return Cost(num_bytes=2 * x.numel() * x.element_size(), num_flops=x.numel())
"""


def counted(c: Content) -> None:
    """A sound efficiency case: 1 of 5 points, and a file that loses it."""
    for file, text in ((c.exercise / "exercise.yaml", COUNTED), (c.exercise / "reference.py", INPUTS)):
        file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")
    solution = (c.solution / f"{NAME}.py").read_text(encoding="utf-8")
    launch = next(line for line in solution.splitlines() if f"{NAME}_kernel[" in line)
    (c.solution / "rejected/inefficient").mkdir()
    twice = solution.replace(launch, f"{launch}\n{launch}").replace('"""', "# Loses: one launch\n\n" + '"""', 1)
    (c.solution / "rejected/inefficient/launched_twice.py").write_text(twice, encoding="utf-8")


def too_many_points_by_counts(c: Content) -> None:
    counted(c)
    c.replace(c.exercise / "exercise.yaml", "points: 1", "points: 2")


def no_inefficient_file(c: Content) -> None:
    counted(c)
    (c.solution / "rejected/inefficient/launched_twice.py").unlink()


def inefficient_that_does_not_say_what_it_loses(c: Content) -> None:
    counted(c)
    c.replace(c.solution / "rejected/inefficient/launched_twice.py", "Loses: one launch", "Two launches")


def inefficient_that_is_efficient(c: Content) -> None:
    counted(c)
    solution = (c.solution / f"{NAME}.py").read_text(encoding="utf-8")
    (c.solution / "rejected/inefficient/not.py").write_text("# Loses: one launch\n" + solution, encoding="utf-8")


def inefficient_that_is_wrong(c: Content) -> None:
    counted(c)
    c.replace(c.solution / "rejected/inefficient/launched_twice.py", "2 * tl.load", "3 * tl.load")


def solution_that_is_inefficient(c: Content) -> None:
    counted(c)
    c.replace(c.exercise / "exercise.yaml", "most_launches: 1", "most_launches: 0")


def cost_that_is_too_high(c: Content) -> None:
    counted(c)
    c.replace(c.exercise / "reference.py", "num_bytes=2 *", "num_bytes=3 *")


def tolerance(rtol: float, atol: float) -> Callable[[Content], None]:
    def change(c: Content) -> None:
        c.replace(c.exercise / "reference.py", "return EXACT", f"return Tolerance({rtol}, {atol})")

    change.__name__ = f"tolerance_{rtol}_{atol}"
    return change


def variant_that_is_wrong(c: Content) -> None:
    c.replace(c.exercise / "reference.py", "return x + x", "return x + x + 1")


def reference_that_changes(c: Content) -> None:
    c.replace(c.exercise / "reference.py", "return 2 * x", "return torch.rand(()) * 1e-9 + 2 * x")
    tolerance(1e-6, 1e-6)(c)


def test_that_fails_itself(c: Content) -> None:
    c.replace(c.exercise / "test_visible.py", "    x = make", "    assert not submission\n    x = make")


test_that_fails_itself.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (extra_file, "the file notes.txt"),
        (missing_readme, "no file README.md"),
        (readme_without_the_function, f"no mention of {NAME}"),
        (missing_hint, "hints.yaml"),
        (stub_without_todo, "no TODO"),
        (stub_with_other_tokens, "the digest of"),
        (stub_that_is_solved, "expected 0 points and not_attempted"),
        (stub_that_cannot_be_loaded, "expected 0 points and not_attempted"),
        (other_parameters, f"{NAME}(y)"),
        (solution_that_is_wrong, "every one of the 4 points"),
        (points_that_do_not_add_up, "visible tests of 2 points"),
        (test_without_a_title, "no docstring"),
        (rejected_in_a_folder_that_is_no_status, "the name of a status"),
        (rejected_of_another_kind, "the kind of"),
        (rejected_that_is_right, "expected the status incorrect"),
        (rejected_with_another_status, "expected the status timeout"),
        (too_few_rejected, "at least 5"),
        (no_forbidden_file, "no file in rejected/forbidden"),
        (too_many_points_by_counts, "expected at most 20% of the 6"),
        (no_inefficient_file, "no file in rejected/inefficient that loses 'one launch'"),
        (inefficient_that_does_not_say_what_it_loses, "a line `Loses: CASE; CASE`"),
        (inefficient_that_is_efficient, "expected inefficient in one launch alone"),
        (inefficient_that_is_wrong, "expected inefficient in one launch alone"),
        (solution_that_is_inefficient, "every one of the 5 points"),
        (cost_that_is_too_high, "no more bytes in `cost` than the solution moves"),
        (tolerance(0.0, 100.0), "zeros passes at every setting"),
        (tolerance(2.0, 0.0), "its input passes at every setting"),
        (tolerance(1e-2, 0.0), "the next lower precision passes at every setting"),
        (variant_that_is_wrong, "a correct variant fails"),
        (reference_that_changes, "another one the second time"),
        (test_that_fails_itself, "grader_error"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_law_can_be_broken(
    content: Content, workers: Workers, change: Callable[[Content], None], words: str
) -> None:
    change(content)
    found = [str(item) for item in content.check(workers) if isinstance(item, Problem)]
    assert any(words in text for text in found), found


def test_what_cannot_be_tested_here_is_listed_and_not_passed(
    content: Content, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    (content.solution / "rejected/too_slow").mkdir()
    (content.solution / "rejected/too_slow/one_block.py").write_text("x = 1\n")
    found = content.check(workers)
    assert [str(item) for item in found if isinstance(item, NotRun)] == [
        f"{NAME}/rejected/too_slow/one_block.py: too_slow cannot be judged here"
    ]
    monkeypatch.setattr(requirements, "has_triton", lambda: False)
    found = content.check(workers)
    assert all(isinstance(item, NotRun) for item in found)
    assert "install" in str(found[0])
    assert len(found) >= 7


def test_a_missing_triton_is_nobodys_zero(content: Content, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.grade import grade

    monkeypatch.setattr(requirements, "has_triton", lambda: False)
    exercise = load_all(content.root)[0]
    report = grade([exercise], [content.solution / exercise.file], Target("cpu"), workers=workers).exercises[0]
    assert (report.status.value, report.not_measured_points) == ("not_run", report.max_points)
    assert "pip install triton" in report.cases[0].message
