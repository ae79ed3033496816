"""Loading exercises: what is right, and each mistake with file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.loading import choose, load, load_all

GOOD = """\
title: A title
order: 3
lecture: "6"
file: answer.py
stub: "0123456789abcdef"
entry: ["answer(x, factor)"]
points: {visible: 1, hidden: 2}
performance:
  - name: large
    points: 4
    arguments: {n: 3}
    bound: memory
    full_at: 0.8
    zero_at: 0.3
"""


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "exercise.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_good_file(tmp_path: Path) -> None:
    exercise = load(write(tmp_path / "answer", GOOD))
    assert (exercise.name, exercise.order, exercise.max_points) == ("answer", 3, 7)
    assert exercise.entries[0].parameters == ("x", "factor")
    assert not exercise.is_cuda
    assert exercise.efficiency == ()


def test_counted_cases_have_points_too(tmp_path: Path) -> None:
    text = GOOD + "efficiency: [{name: a, points: 2, arguments: {n: 3}, most_launches: 1, most_traffic: 1.5}]\n"
    exercise = load(write(tmp_path / "answer", text))
    assert (exercise.max_points, exercise.efficiency[0].most_traffic) == (9, 1.5)


def test_a_prototype_is_the_entry_of_a_cuda_file(tmp_path: Path) -> None:
    text = GOOD.replace("answer.py", "answer.cu").replace(
        "answer(x, factor)", "int answer(const float* x, float* out, int n, cudaStream_t stream)"
    )
    exercise = load(write(tmp_path / "answer", text))
    assert exercise.is_cuda
    assert exercise.entries[0].parameters == ("x", "out", "n")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("order: 3", "order: three", 2, ["order", "three"]),
        ("order: 3", 'order: "3"', 2, ["order", "'3'"]),
        ("order: 3\n", "", 1, ["order", "missing"]),
        ("order: 3", "ordre: 3", 2, ["ordre", "unknown field", "order"]),
        ("visible: 1", "visible: -1", 7, ["points.visible", "-1"]),
        ("visible: 1", "visible: 1.5", 7, ["points.visible", "1.5"]),
        ("{visible: 1, hidden: 2}", "{visible: 1, hiden: 2}", 7, ["points.hiden", "hidden"]),
        ("bound: memory", "bound: cache", 12, ["performance.0.bound", "cache"]),
        ("full_at: 0.8", "full_at: 0", 13, ["performance.0.full_at"]),
        ('stub: "0123456789abcdef"', "stub: abc", 5, ["stub", "abc"]),
        ('"answer(x, factor)"', '"answer(x"', 6, ["entry[0]"]),
        ('"answer(x, factor)"', "", 6, ["entry"]),
        ("title: A title", "title: [", 3, ["yaml"]),
        ("title: A title", "title: \x07", 1, ["yaml"]),
        ("title: A title", "title: 2024-13-45", 1, ["yaml"]),
        ("order: 3", "order: 3\norder: 4", 3, ["order", "twice"]),
        ("full_at: 0.8", "full_at: .inf", 13, ["full_at"]),
        ("full_at: 0.8", "full_at: 0.2", 9, ["performance.0", "below"]),
        ("points: 4", "points: 3", 10, ["performance.0.points", "multiple of 4"]),
        ("file: answer.py", "file: ../../answer.py", 4, ["file"]),
        ("file: answer.py", "file: answer.txt", 4, ["file"]),
        ("performance:", "efficiency: [{name: a, points: 1, arguments: {}}]\nperformance:", 8, ["without a bound"]),
        (
            "performance:",
            "efficiency: [{name: a, points: 1, arguments: {}, most_launch: 1}]\nperformance:",
            8,
            ["efficiency.0.most_launch", "most_launches"],
        ),
        (
            "performance:",
            "efficiency: [{name: a, points: 1, arguments: {}, least_coalesced: 1.5}]\nperformance:",
            8,
            ["efficiency.0.least_coalesced", "1.5"],
        ),
        (
            "performance:",
            "efficiency: [{name: a, points: 1, arguments: {}, predicted: {bytes: answer}}]\nperformance:",
            8,
            ["efficiency[0].predicted.bytes", "'answer' is no entry after the first", "none"],
        ),
        (
            'entry: ["answer(x, factor)"]',
            'entry: ["answer(x)", "guess(n)"]\n'
            "efficiency: [{name: a, points: 1, arguments: {}, predicted: {bytes: guess}}]",
            7,
            ["efficiency[0].predicted.bytes", "guess has parameters", "['n']"],
        ),
        (
            "performance:",
            "efficiency: [{name: a, points: 1, arguments: {}, predicted: {seconds: answer}}]\nperformance:",
            8,
            ["efficiency.0.predicted.seconds", "'bytes'"],
        ),
    ],
)
def test_a_mistake_is_shown_where_it_stands(tmp_path: Path, old: str, new: str, line: int, words: list[str]) -> None:
    folder = write(tmp_path / "answer", GOOD.replace(old, new))
    with pytest.raises(UsageError) as caught:
        load(folder)
    text = str(caught.value)
    assert f"exercise.yaml:{line}:" in text, text
    for word in words:
        assert word in text


@pytest.mark.parametrize("data", [b"title: caf\xe9\n", b"", b"- 1\n", b"[" * 5000, b"just a text"])
def test_a_file_that_is_no_mapping_is_an_error_not_a_traceback(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "exercise.yaml").write_bytes(data)
    with pytest.raises(UsageError, match=r"exercise\.yaml:1"):
        load(tmp_path)


def test_every_broken_exercise_is_named(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / "exercises" / name, GOOD.replace("order: 3", "order: x"))
    write(tmp_path / "exercises" / "c", GOOD)
    with pytest.raises(UsageError) as caught:
        load_all(tmp_path)
    assert len(str(caught.value).splitlines()) == 2


def test_all_mistakes_are_shown_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("order: 3", "order: x").replace("visible: 1", "visible: x")
    with pytest.raises(UsageError) as caught:
        load(write(tmp_path / "answer", text))
    assert len(str(caught.value).splitlines()) == 2


def test_a_wrong_prototype_is_shown(tmp_path: Path) -> None:
    text = GOOD.replace("answer.py", "answer.cu").replace("answer(x, factor)", "int answer(banana x)")
    with pytest.raises(UsageError, match=r"exercise.yaml:6: entry\[0\].*banana"):
        load(write(tmp_path / "answer", text))


def test_no_exercise_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "exercises").mkdir()
    with pytest.raises(UsageError, match="no exercise found"):
        load_all(tmp_path)


def test_unknown_names_get_the_nearest_ones(tmp_path: Path) -> None:
    for name in ("row_sum", "column_sum", "transpose"):
        write(tmp_path / "exercises" / name, GOOD)
    exercises = load_all(tmp_path)
    assert [e.name for e in choose(exercises, ["transpose", "row_sum", "transpose"])] == ["transpose", "row_sum"]
    with pytest.raises(UsageError, match="did you mean row_sum"):
        choose(exercises, ["rowsum"])
    with pytest.raises(UsageError, match="there are: column_sum, row_sum, transpose"):
        choose(exercises, ["xyz"])
