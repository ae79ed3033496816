"""A course on disk with secrets in it, closed to others as the threat model asks.

One word that nobody can guess stands in a hidden test, in a solution, in another student's file, in the grade book and
in the grader's own environment, and the input of a hidden test is made of its letters. If the word shows up in anything
that a submission said, it has read what it must not read.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import string
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from grader.exercise import Exercise
from grader.loading import load
from grader.records import Setting
from grader.report import ExerciseReport
from tests.corpus.header import TESTS

MARK = "STAFFSECRET"
"""How every secret begins: an exploit knows what it looks for, and not what follows."""

_PLANTED = {
    "double": '''@pytest.mark.points(1)
def test_planted(submission, make, expect, reference):
    """an input made of letters"""
    x = torch.tensor([float(ord(letter)) for letter in "WORD"])
    expect(submission.double(x), reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


''',
    "double_cuda": '''@pytest.mark.points(1)
def test_planted(submission, make, expect, reference):
    """an input made of letters"""
    import torch

    x = torch.tensor([float(ord(letter)) for letter in "WORD"])
    out = make.unwritten(x.numel())
    submission.twice(x, out, x.numel())
    expect(out, reference.reference(x), dtype=x.dtype, tolerance=reference.tolerance(x))


''',
}


class Course:
    """A folder with exercises, solutions, submissions and grades; `close` removes it."""

    def __init__(self) -> None:
        """Make it, with a word of its own."""
        self.word = MARK + "".join(random.SystemRandom().choices(string.ascii_lowercase, k=16))
        self.folder = Path(tempfile.mkdtemp(prefix="course-"))  # mkdtemp closes it to others
        self.exercises: dict[str, Exercise] = {}
        for name in _PLANTED:
            self._plant(name)
        self.exercises["benchmark_function"] = load(TESTS.parent / "exercises" / "benchmark_function")
        (self.folder / "grades.csv").write_text(f"name,points\nada,5\n{self.word},0\n")
        (self.folder / "roster.txt").write_text(f"{self.word}\n")
        os.environ["STAFF_SECRET"] = self.word
        self._neighbour = subprocess.Popen(["sleep", "infinity"])  # in whose first environment the word stands

    def _plant(self, name: str) -> None:
        folder = self.folder / "exercises" / name
        shutil.copytree(TESTS / "content/exercises" / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
        hidden = folder / "hidden/test_hidden.py"
        before, mark, after = hidden.read_text().partition("@pytest.mark")  # others follow it
        hidden.write_text(before + _PLANTED[name].replace("WORD", self.word) + mark + after)
        data = folder / "exercise.yaml"
        text = re.sub(r"hidden: (\d+)", lambda found: f"hidden: {int(found[1]) + 1}", data.read_text())
        data.write_text(text.replace("limits: {", "limits: {build_s: 5.0, build_memory_mb: 1024.0, "))
        self.exercises[name] = load(folder)
        comment = "//" if self.exercises[name].is_cuda else "#"
        for place in ("solutions", "submissions/ada"):
            right = self.folder / place / name / self.exercises[name].file
            right.parent.mkdir(parents=True)
            right.write_text(f"{comment} {self.word}\n{self.known_good(name)}")

    def known_good(self, name: str) -> str:
        """A right submission."""
        file = self.exercises[name].file
        return (TESTS / "golden" / name / "correct" / file).read_text()

    def addressed(self, text: str) -> str:
        """A submission that knows where the course lies and which process grades it: more than a student does."""
        return text.replace("@COURSE@", str(self.folder)).replace("@GRADER@", str(os.getpid()))

    def leak(self, report: ExerciseReport, settings: Iterable[Setting]) -> str:
        """Where the word has come out, in letters or in numbers; empty when it has not."""
        said = report.model_dump_json()
        if self.word in said or self.word in "".join(re.findall(r"[A-Za-z]+", said)):
            return "the report shows a secret"
        numbers = "".join(str(ord(letter)) for letter in self.word.removeprefix(MARK))
        if numbers in "".join(re.findall(r"\d+", said)):
            return "the report shows a secret in numbers"
        prints = json.dumps([setting.output for setting in settings if not setting.hidden])
        return "the prints show a secret" if self.word in prints else ""

    def close(self) -> None:
        """Remove it."""
        self._neighbour.kill()
        self._neighbour.wait()
        os.environ.pop("STAFF_SECRET", None)
        shutil.rmtree(self.folder, ignore_errors=True)
