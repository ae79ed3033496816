"""One submission as Gradescope hands it over: what is written at which moment, without anything being run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.batch import lanes
from grader.batch.folder import Folder
from grader.batch.lane import Orders
from grader.batch.lanes import Event
from grader.batch.mapping import content_of
from grader.batch.work import Item
from grader.commands import gradescope_run
from grader.errors import GraderError, UsageError
from grader.exercise import Exercise
from grader.export import feedback
from grader.grade import Target
from grader.gradescope.settings import Settings
from grader.loading import load_all
from grader.report import ExerciseReport
from tests.batch.made_up import SECRET, failed, report, result
from tests.gradescope.places import METADATA, lay_out, results, tell

NAMES = ("first", "second", "third")
Tell = Callable[[Event], None]
Verdicts = dict[str, ExerciseReport | None]  # by exercise; None ends the run there


@pytest.fixture
def base(tmp_path: Path) -> Path:
    lay_out(tmp_path, NAMES)
    for name in NAMES:
        (tmp_path / f"submission/{name}.py").write_text(f"def {name}(x):\n    return x + x\n")
    return tmp_path


@pytest.fixture
def grade(base: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run the command with these verdicts instead of a lane's; `after` is called after each."""

    def run(verdicts: Verdicts, after: Callable[[], None] = lambda: None, fails: Exception | None = None) -> int:
        def stand_in(
            folder: Folder, exercises: Sequence[Exercise], orders: Sequence[Orders], tell: Tell, seconds: float
        ) -> None:
            for exercise in exercises:
                made = verdicts[exercise.name]
                if made is None:
                    break
                _put(folder, exercise, made)
                tell(Event(0, "done", Item(exercise.name, "", "")))
                after()
            if fails is not None:
                raise fails

        monkeypatch.setattr(lanes, "run", stand_in)
        return gradescope_run.run(base / "source/course", base)

    return run


def _put(folder: Folder, exercise: Exercise, made: ExerciseReport) -> None:
    from grader.batch.conditions import conditions_of

    conditions = conditions_of(exercise, Target("cpu", 0, folder.seed), "uid")
    folder.note(conditions)
    data = f"def {exercise.name}(x):\n    return x + x\n".encode()
    folder.put(result(exercise.name, data, made, conditions.key))
    assert folder.file(content_of(data)) == data


def test_what_is_known_is_written_whole_after_each_exercise(base: Path, grade: Callable[..., int]) -> None:
    seen: list[dict[str, Any]] = []
    code = grade({name: report(name) for name in NAMES}, after=lambda: seen.append(results(base)))
    assert code == 0
    assert [data["score"] for data in seen] == [4, 8, 12]
    assert [data["output"].count("Not graded in time") for data in seen] == [2, 1, 0]
    assert (seen[-1] == results(base), seen[-1]["extra_data"]["entry"]) == (True, "4711")
    assert [path.name for path in (base / "results").iterdir()] == ["results.json"]


def test_what_was_not_reached_is_no_failure(
    base: Path, grade: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert grade({"first": report("first"), "second": None}) == 3
    data = results(base)
    assert data["score"] == 4
    second, third = data["tests"][-2:]
    assert (second["output"], third["output"]) == (feedback.NOT_IN_TIME, feedback.NOT_IN_TIME)
    assert not {"score", "max_score", "status"} & (set(second) | set(third))
    assert "third: Not graded in time" in capsys.readouterr().out


@pytest.mark.parametrize("verdicts", [{"first": None}, {name: failed(name) for name in NAMES}])
def test_without_any_verdict_there_is_no_file_and_an_older_one_stays(
    base: Path, grade: Callable[..., int], verdicts: Verdicts
) -> None:
    older = base / "results/results.json"
    older.write_text('{"score": 3}')
    with pytest.raises(GraderError, match=r"no results\.json, so nothing is booked"):
        grade(verdicts)
    assert older.read_text() == '{"score": 3}'


def test_a_failure_of_ours_is_open_and_staff_read_why(
    base: Path, grade: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert grade({"first": report("first"), "second": failed("second"), "third": report("third")}) == 3
    data = results(base)
    assert data["score"] == 8
    assert f"second: {feedback.OPEN}" in data["output"]
    assert SECRET not in (base / "results/results.json").read_text()
    assert "second: the grader failed" in capsys.readouterr().out


def test_a_grader_that_breaks_leaves_what_was_known(base: Path, grade: Callable[..., int]) -> None:
    assert grade({"first": report("first"), "second": None}, fails=GraderError("a process ended")) == 3
    assert results(base)["score"] == 4


def test_without_a_sandbox_nothing_is_run(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNEL_GRADER_SANDBOX", "none")
    with pytest.raises(GraderError, match=r"no sandbox can be made here, so nothing is run.*Gradescope books nothing"):
        gradescope_run.run(base / "source/course", base)
    assert list((base / "results").iterdir()) == []


def test_no_file_of_the_assignment_is_a_zero_that_says_so(base: Path, grade: Callable[..., int]) -> None:
    for file in (base / "submission").iterdir():
        file.rename(file.with_suffix(".txt"))
    assert grade({}) == 0
    data = results(base)
    assert data["score"] == 0
    assert data["output"].startswith("No file of this assignment was found, so nothing was run.")
    assert "Expected: first.py, second.py, third.py" in data["output"]
    assert {test["output"] for test in data["tests"]} == {feedback.NO_FILE}


def test_a_missing_file_alone_is_no_verdict_while_others_wait(base: Path, grade: Callable[..., int]) -> None:
    (base / "submission/second.py").unlink()
    seen: list[bool] = []
    with pytest.raises(GraderError):
        grade({"first": None})
    seen.append((base / "results/results.json").exists())
    assert grade({"first": report("first"), "third": report("third")}) == 0
    assert (seen, results(base)["score"]) == ([False], 8)


def test_names_of_files_reach_nobodys_terminal(
    base: Path, grade: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    (base / "submission/\x1b[2Ja\r\nb.zip").write_bytes(b"no zip")
    assert grade({name: report(name) for name in NAMES}) == 0
    assert "cannot be opened" in results(base)["output"]
    assert "\x1b" not in results(base)["output"] + capsys.readouterr().out


LATE = "deadline: 2026-10-01 20:00+00:00\nper_day: 0.25\n"


@pytest.mark.parametrize(
    ("metadata", "policy", "score", "said"),
    [
        (METADATA, LATE, 9, "1 day late: 0.75 of the points are left."),
        (METADATA, LATE + "extensions: {bob@example.org: 1}\n", 12, ""),  # a group has the luckiest member's
        ({**METADATA, "created_at": "2026-10-01T12:00:00-07:00"}, LATE, 12, ""),
        ({**METADATA, "created_at": None}, LATE, 12, ""),
        ("garbage", LATE, 12, ""),
        (METADATA, "", 12, ""),
    ],
)
def test_lateness(
    base: Path, grade: Callable[..., int], metadata: object, policy: str, score: float, said: str
) -> None:
    tell(base, metadata)
    if policy:
        (base / "source/course/late.yaml").write_text(policy)
    assert grade({name: report(name) for name in NAMES}) == 0
    assert (results(base)["score"], results(base)["output"]) == (score, said)


def test_doubts_about_time_are_for_staff(
    base: Path, grade: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    tell(base, {**METADATA, "created_at": "2026-10-01T12:30:00-07:00"})  # after the due date that Gradescope knows
    (base / "source/course/late.yaml").write_text(LATE)
    assert grade({name: report(name) for name in NAMES}) == 0
    assert "are both deadlines the same?" in capsys.readouterr().out
    tell(base, "garbage")
    assert grade({name: report(name) for name in NAMES}) == 0
    said = capsys.readouterr().out
    assert "submission_metadata.json: not readable as JSON" in said
    assert "counted as in time" in said


@pytest.mark.parametrize("hidden", ["hidden", "after_due_date"])
def test_the_package_says_when_hidden_cases_are_seen(base: Path, grade: Callable[..., int], hidden: Any) -> None:
    (base / "source/course/package.json").write_text(Settings(seed=1, hidden=hidden).model_dump_json())
    assert grade({name: report(name) for name in NAMES}) == 0
    assert {t["visibility"] for t in results(base)["tests"] if "test_hidden" in t["name"]} == {hidden}


def test_outside_of_a_package_it_says_so(base: Path) -> None:
    (base / "source/course/package.json").unlink()
    with pytest.raises(UsageError, match="not an autograder's package; `python -m grader package` makes one"):
        gradescope_run.run(base / "source/course", base)


def test_the_course_is_as_it_is_laid_out(base: Path) -> None:
    assert [exercise.name for exercise in load_all(base / "source/course")] == list(NAMES)
