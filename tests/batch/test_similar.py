"""Files that stand out among real small files: a renamed copy, the same bytes, groups, and what cannot be compared."""

from __future__ import annotations

import builtins
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.batch.folder import Folder
from grader.batch.mapping import FileEntry, Intake, content_of
from grader.batch.similar import LEAST_FILES, MAX_BYTES, Handed, similar
from grader.errors import UsageError
from tests.batch.made_up import entry, mapping

ROOT = Path(__file__).parents[2]
PYTHON = sorted(ROOT.glob("tests/exploits/[a-z]*.py"))[:40]
CUDA = sorted(ROOT.glob("tests/planted/cuda_correct/*.cu"))


def handed(name: str, data: bytes, *people: str) -> Handed:
    return Handed(name, frozenset(people or (name,)), data)


def everyone(files: list[Path]) -> list[Handed]:
    return [handed(file.stem, file.read_bytes()) for file in files]


def renamed(file: Path) -> bytes:
    """The file with a comment above each line and every variable called otherwise."""
    text = re.sub(r"\b(x|out|row|n|y|i)\b", r"my_\1", file.read_text(encoding="utf-8"))
    mark = "//" if file.suffix == ".cu" else "#"
    return "\n".join(
        f"{line}  {mark} mine" if line.strip() and '"""' not in line else line for line in text.split("\n")
    ).encode()


def long_one(files: list[Path]) -> Path:
    return max(files, key=lambda file: file.stat().st_size)


@pytest.mark.parametrize(("files", "name"), [(PYTHON, "double.py"), (CUDA, "double.cu")])
def test_a_renamed_copy_stands_out(files: list[Path], name: str) -> None:
    original = long_one(files)
    found = similar("double", name, [*everyone(files), handed("copy", renamed(original))], [])
    assert found.files >= LEAST_FILES
    assert found.outliers, found
    first = found.outliers[0]
    assert {*first.first, *first.second} == {"copy", original.stem}
    assert first.score > 0.8 > found.median
    assert first.lines
    assert all(start <= end <= original.read_text().count("\n") + 1 for start, end in first.lines)
    assert found.threshold >= 0.5
    assert all(pair.score >= found.threshold for pair in found.outliers)


def test_the_same_bytes_are_listed_apart_and_groups_are_not_compared_with_themselves() -> None:
    data = long_one(PYTHON).read_bytes()
    others = [one for one in everyone(PYTHON) if one.data != data]
    mine = [handed("1", data, "ada"), handed("2", data, "bob"), handed("3", renamed(long_one(PYTHON)), "ada", "bob")]
    found = similar("double", "double.py", [*others, *mine], [])
    assert found.same == (("1", "2"),)
    assert not any("3" in (*pair.first, *pair.second) for pair in found.outliers)
    alone = similar("double", "double.py", [handed("1", data, "ada"), handed("2", data, "ada")], [])
    assert alone.same == ()


def test_what_the_staff_gave_is_nobodys() -> None:
    solution = long_one(PYTHON)
    copies = [handed("a", solution.read_bytes()), handed("b", solution.read_bytes() + b"\n# mine\n")]
    rest = [one for one in everyone(PYTHON) if one.data != solution.read_bytes()]
    found = similar("double", "double.py", [*rest, *copies], [("the solution", solution.read_bytes())])
    assert found.as_staff == (("a", "the solution"),)
    assert ("b", "too little that neither stub nor solution has") in found.not_compared
    assert not any("b" in (*pair.first, *pair.second) for pair in found.outliers)


def test_few_files_say_nothing() -> None:
    original = long_one(PYTHON)
    found = similar("double", "double.py", [handed("a", original.read_bytes()), handed("b", renamed(original))], [])
    assert (found.files, found.pairs, found.outliers) == (2, 1, ())
    nothing = similar("double", "double.py", [], [])
    assert (nothing.files, nothing.pairs, nothing.median) == (0, 0, 0.0)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "too little"),
        (b"\xff\xfe\x00" * 9, "too little"),
        (b"x = 1\n", "too little"),
        (b"#" * (MAX_BYTES + 1), "100,001 bytes; at most 100,000"),
    ],
)
@pytest.mark.parametrize("name", ["double.py", "double.cu"])
def test_odd_files_are_said_and_not_compared(data: bytes, why: str, name: str) -> None:
    found = similar("double", name, [handed("a", data)], [])
    assert [entry for entry, _ in found.not_compared] == ["a"]
    assert why in found.not_compared[0][1]


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "copydetect":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(UsageError, match=r"pip install .*\[similarity\]"):
        similar("double", "double.py", [], [])


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", "similar", *map(str, words), "--root", str(ROOT / "tests/content")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)


def test_the_command(tmp_path: Path) -> None:
    students = [*everyone(PYTHON), handed("copy", renamed(long_one(PYTHON)))]
    entries = [
        entry(s.entry, files=[FileEntry(exercise="double", source="x", content=content_of(s.data), size=len(s.data))])
        for s in students
    ]
    table = mapping(*entries).model_copy(update={"exercises": ("double",)})
    out = tmp_path / "out"
    Folder(out).keep(Intake(table, {content_of(s.data): s.data for s in students}))
    found = run(out)
    assert (found.returncode, found.stderr) == (0, "")
    assert "never a verdict" in found.stdout
    assert re.search(r"^[01]\.\d\d  .*copy \(lines", found.stdout, re.MULTILINE)
    for words, message in (
        ([tmp_path], "no batch.json"),
        ([out, "-e", "dubble"], "did you mean double"),
        ([out, "-e", "double_cuda"], "no file of double_cuda in this batch"),
    ):
        refused = run(*words)
        assert refused.returncode == 2, refused.stdout
        assert message in refused.stderr
