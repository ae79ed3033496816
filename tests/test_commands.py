"""The command line as people use it: exit codes, files written, and nothing lost."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
CONTENT = ROOT / "tests/content"
GOLDEN = ROOT / "tests/golden/double"


def grader(*arguments: object, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    env = {**os.environ, "COLUMNS": "200", **environment}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)


def tree(folder: Path, *golden: str) -> Path:
    """A tree of submissions: the golden folder's file for the exercise it belongs to."""
    for name in golden:
        target = folder / "double"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(GOLDEN / name / "double.py", target)
    return folder


def test_grade_writes_a_report(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    done = grader("grade", "double", "--root", CONTENT, "--from", tree(tmp_path, "correct"), "--json", file)
    report = json.loads(file.read_text(encoding="utf-8"))
    assert done.returncode == 0, done.stderr
    assert (report["points"], report["max_points"]) == (5, 5)
    assert "5/5" in done.stdout
    assert report["environment"]["isolation"] == os.environ["KERNEL_GRADER_SANDBOX"]


def test_without_a_sandbox_the_report_says_so_loudly(tmp_path: Path) -> None:
    done = grader(
        "grade", "double", "--root", CONTENT, "--from", tree(tmp_path, "missing_function"), KERNEL_GRADER_SANDBOX="none"
    )
    assert "NO SANDBOX" in done.stdout


def test_a_sandbox_that_cannot_be_had_is_an_error_and_no_weaker_one(tmp_path: Path) -> None:
    submissions = tree(tmp_path, "correct")
    done = grader(
        *("grade", "double", "--root", CONTENT, "--from", submissions),
        KERNEL_GRADER_SANDBOX="namespaces",
        PATH=str(tmp_path),
    )
    assert done.returncode == 3
    assert "`setpriv` is not installed; try: apt-get install util-linux" in done.stderr


@pytest.mark.parametrize(
    ("name", "strict", "code"), [("raises", [], 0), ("raises", ["--strict"], 1), ("correct", ["--strict"], 0)]
)
def test_exit_codes_of_grade(tmp_path: Path, name: str, strict: list[str], code: int) -> None:
    done = grader("grade", "double", "--root", CONTENT, "--from", tree(tmp_path, name), *strict)
    assert done.returncode == code, done.stdout


def test_a_failed_case_says_what_where_and_what_next(tmp_path: Path) -> None:
    done = grader("grade", "double", "--root", CONTENT, "--from", tree(tmp_path, "raises"))
    for words in ("raised ValueError: I cannot work with", "double.py:7 in helper", "python -m grader debug double"):
        assert words in done.stdout


def test_a_hidden_case_shows_no_value(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    grader("grade", "double", "--root", CONTENT, "--from", tree(tmp_path, "raises"), "--json", file)
    cases = json.loads(file.read_text(encoding="utf-8"))["exercises"][0]["cases"]
    hidden = [case for case in cases if case["hidden"]]
    assert len(hidden) == 2
    value = r"I cannot work with -?\d"
    assert re.search(value, json.dumps(cases))
    assert not re.search(value, json.dumps(hidden))


def test_a_fault_of_a_test_is_ours(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(CONTENT, root)
    test = root / "exercises/double/test_visible.py"
    test.write_text(test.read_text().replace("x = make.randn(7)", "x = make.randn(7)\n    assert False"))
    done = grader("grade", "double", "--root", root, "--from", tree(tmp_path, "correct"))
    assert done.returncode == 3
    assert "grader_error" in done.stdout
    assert "not your fault" in done.stdout


def test_tests_that_cannot_be_collected_are_our_fault_and_the_next_exercise_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(CONTENT, root)
    (root / "exercises/double/test_visible.py").write_text("import nothing_of_this_name\n")
    file = tmp_path / "report.json"
    done = grader("grade", "--root", root, "--json", file)
    reports = {e["name"]: e for e in json.loads(file.read_text())["exercises"]}
    assert done.returncode == 3
    assert reports["double"]["status"] == "grader_error"
    assert reports["double"]["not_measured_points"] == 5
    assert reports["double_cuda"]["status"] == "not_attempted"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grade", "duble"], "did you mean double"),
        (["grade", "--from", "/nowhere"], "no such folder"),
        (["grade", "--json", "/nowhere/report.json"], "in a folder that exists"),
        (["grade", "--json", "/tmp"], "expected the name of a file"),
        (["grade", "--device", "cuda:²"], "expected auto, cpu, cuda or cuda:N"),
        (["new", "torch"], "the name of a Python package"),
        (["new", "json"], "the name of a Python package"),
        (["check"], "a student's copy"),
        (["grade", "--device", "tpu"], "expected auto, cpu, cuda or cuda:N"),
        (["grade", "--device", "cuda:99"], "GPUs; see `doctor`"),
        (["grade", "--seed", "x"], "Invalid value"),
        (["grade", "--no-such-option"], "No such option"),
        (["debug", "double", "--case", "test_smal"], "there are: test_small"),
        (["submit", "--to", "answers.tar"], ".zip"),
        (["submit", "--to", "/nowhere/a.zip"], "in a folder that exists"),
        (["new", "Not-A-Name"], "lower_case"),
        (["hint", "double", "--level", "4"], "hints.yaml"),
    ],
)
def test_bad_usage_exits_with_2_and_a_line(arguments: list[str], words: str) -> None:
    done = grader(*arguments, "--root", CONTENT)
    text = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 2, text
    assert words in text
    assert "Traceback" not in text


@pytest.mark.parametrize("shape", ["exercises/double", "solutions/double", "double", "", "wrapper/double", "wrapper"])
def test_trees_of_every_shape_are_found(tmp_path: Path, shape: str) -> None:
    folder = tmp_path / "tree" / shape
    folder.mkdir(parents=True)
    shutil.copy(GOLDEN / "correct/double.py", folder)
    done = grader("grade", "double", "--root", CONTENT, "--from", tmp_path / "tree")
    assert "5/5" in done.stdout, done.stderr


def test_the_zip_that_submit_writes_can_be_graded(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("Ünï/double/double.py", (GOLDEN / "correct/double.py").read_text())
        archive.writestr("__MACOSX/double.py", "garbage")
        archive.writestr("../../evil.py", "garbage")
    done = grader("grade", "double", "--root", CONTENT, "--from", tmp_path / "a.zip")
    assert "5/5" in done.stdout, done.stderr
    (tmp_path / "b.zip").write_bytes(b"no zip")
    assert grader("grade", "--root", CONTENT, "--from", tmp_path / "b.zip").returncode == 2


def test_a_tree_without_any_submission_is_bad_usage(tmp_path: Path) -> None:
    done = grader("grade", "--root", CONTENT, "--from", tmp_path)
    assert done.returncode == 2
    assert "expected double/double.py" in done.stderr


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "double.py").symlink_to(GOLDEN / "correct/double.py")
    done = grader("grade", "double", "--root", CONTENT, "--from", tmp_path)
    assert "0/5" in done.stdout
    assert "is a link" in done.stdout


def test_output_that_a_terminal_cannot_show_is_replaced(tmp_path: Path) -> None:
    done = grader("grade", "double", "--root", CONTENT, "--from", tree(tmp_path, "correct"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "5/5" in done.stdout


def test_a_cache_that_cannot_be_written_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "double_cuda").mkdir()
    shutil.copy(ROOT / "tests/golden/double_cuda/correct/double.cu", tmp_path / "double_cuda")
    done = grader("grade", "double_cuda", "--root", CONTENT, "--from", tmp_path, XDG_CACHE_HOME="/proc/nowhere")
    assert "3/3" in done.stdout, done.stderr


@pytest.mark.parametrize("text", [b"# caf\xe9\n", b""])
def test_debug_refuses_what_grade_refuses(tmp_path: Path, text: bytes) -> None:
    root = tmp_path / "root"
    shutil.copytree(CONTENT, root)
    (root / "exercises/double/double.py").write_bytes(text)
    done = grader("debug", "double", "--case", "test_small", "--root", root)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_help_names_every_command() -> None:
    done = grader("--help")
    assert done.returncode == 0
    for command in ("grade", "debug", "hint", "check", "new", "release", "submit", "doctor"):
        assert command in done.stdout


def test_a_missing_compiler_is_nobodys_zero(tmp_path: Path) -> None:
    (tmp_path / "double_cuda").mkdir()
    shutil.copy(ROOT / "tests/golden/double_cuda/correct/double.cu", tmp_path / "double_cuda")
    file = tmp_path / "report.json"
    empty = tmp_path / "bin"
    empty.mkdir()
    done = grader(
        *("grade", "double_cuda", "--root", CONTENT, "--from", tmp_path, "--json", file),
        PATH=str(empty),
        CXX="",
        KERNEL_GRADER_SANDBOX="none",  # the others need programs too
    )
    report = json.loads(file.read_text())["exercises"][0]
    assert done.returncode == 0, done.stderr
    assert (report["status"], report["not_measured_points"]) == ("not_run", 3)
    assert "g++" in report["cases"][0]["message"]


def looping(tmp_path: Path, **given: Any) -> subprocess.Popen[bytes]:
    """A grader whose worker is in an endless loop, with a time limit that no machine is too busy for."""
    content = tmp_path / "course/exercises/double"
    shutil.copytree(CONTENT / "exercises/double", content)
    metadata = content / "exercise.yaml"
    metadata.write_text(metadata.read_text().replace("call_s: 1.0", "call_s: 300.0"))
    command = [sys.executable, "-m", "grader", "grade", "double", "--root", str(tmp_path / "course"), "--from"]
    submissions = tree(tmp_path / "tree", "loop_in_call")
    process = subprocess.Popen([*command, str(submissions)], cwd=ROOT, **given)
    deadline = time.monotonic() + 60
    while not spinning(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return process


def test_interrupting_ends_every_worker_within_a_second(tmp_path: Path) -> None:
    process = looping(tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    workers = descendants(process.pid)
    assert workers, "the submission never ran"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=5)
    time.sleep(1)
    assert process.returncode == 130
    assert b"Traceback" not in stderr
    assert not [pid for pid in workers if alive(pid)]


def descendants(pid: int) -> list[int]:
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def spinning(pid: int) -> bool:
    """Whether a grandchild (the fork of the server that runs the submission) exists."""
    return any(children(server) for server in children(pid))


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_polite_kill_cleans_up(tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    process = looping(tmp_path, env=env, stdout=subprocess.DEVNULL)
    process.terminate()
    assert process.wait(10) == 130
    assert not list(tmp_path.glob("kernel-grader-*"))


def test_the_grader_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    process = looping(tmp_path, stdout=subprocess.DEVNULL)
    workers = descendants(process.pid)
    assert workers
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10  # a busy machine takes its time to end what has been killed
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in workers if alive(pid)]


def test_debug_runs_in_this_process(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(CONTENT, root)
    (root / "exercises/double/double.py").write_text(
        "import os\n\ndef double(x):\n    print('in', os.getppid())\n    return x\n"
    )
    done = grader("debug", "double", "--case", "test_small", "--root", root)
    assert done.returncode == 0, done.stderr
    assert f"in {os.getpid()}" in done.stdout
    assert "incorrect" in done.stdout
    assert "the result equals the input" in done.stdout


def test_debug_counts_too(tmp_path: Path) -> None:
    folder = tmp_path / "exercises/halve"
    shutil.copytree(CONTENT / "exercises/halve", folder)
    shutil.copy(ROOT / "tests/golden/halve/two_launches/halve.py", folder)
    done = grader("debug", "halve", "--case", "one launch", "--root", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "one launch: inefficient" in done.stdout
    assert "launches 2 kernels, at most 1" in done.stdout


def test_debug_runs_a_cuda_file_too(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(CONTENT, root)
    shutil.copy(ROOT / "tests/golden/double_cuda/correct/double.cu", root / "exercises/double_cuda")
    done = grader("debug", "double_cuda", "--case", "test_sizes[33]", "--root", root)
    assert "test_sizes[33]: passed" in done.stdout, done.stderr


def test_new_exercises_keep_every_law(tmp_path: Path) -> None:
    (tmp_path / "exercises").mkdir()
    for name, option in (("row_scale", []), ("row_scale_cuda", ["--cuda"])):
        assert grader("new", name, *option, "--root", tmp_path).returncode == 0
        assert grader("new", name, *option, "--root", tmp_path).returncode == 2
    done = grader("check", "--root", tmp_path)
    assert done.returncode == 0, done.stdout
    assert "2 exercises, 0 problems, 0 not run" in done.stdout


def test_release_holds_no_secret_and_grades(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    assert grader("release", "--to", bundle).returncode == 0
    names = {str(file.relative_to(bundle)) for file in bundle.rglob("*") if file.is_file()}
    assert not [name for name in names if "hidden" in name and name.startswith("exercises")]
    assert not [name for name in names if name.startswith(("solutions", "tests"))]
    assert grader("release", "--to", bundle).returncode == 2
    file = tmp_path / "report.json"
    name = sorted(p.name for p in (bundle / "exercises").iterdir())[0]
    shutil.copytree(
        ROOT / "solutions" / name, bundle / "exercises" / name, dirs_exist_ok=True, ignore=lambda *_: ["rejected"]
    )
    done = grader("grade", "--json", file, cwd=bundle)
    reports = {e["name"]: e for e in json.loads(file.read_text())["exercises"]}
    assert done.returncode == 0, done.stderr
    assert reports.pop(name)["status"] == "passed"
    assert {report["status"] for report in reports.values()} == {"not_attempted"}
    assert "held by staff" in file.read_text()


def test_release_refuses_a_filled_stub(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(CONTENT, root)
    shutil.copy(GOLDEN / "correct/double.py", root / "exercises/double")
    done = grader("release", "--to", tmp_path / "bundle", "--root", root)
    assert done.returncode == 2
    assert "expected the unfilled stub" in done.stderr
    assert not (tmp_path / "bundle").exists()


def test_submit_zips_what_can_be_graded(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(CONTENT, root)
    assert grader("submit", "--to", tmp_path / "a.zip", "--root", root).returncode == 2
    shutil.copy(GOLDEN / "correct/double.py", root / "exercises/double")
    done = grader("submit", "--to", tmp_path / "a.zip", "--root", root)
    assert done.returncode == 0, done.stderr
    assert "1 of 5 files" in done.stdout
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["double/double.py"]


def test_hints_come_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "exercises").mkdir()
    grader("new", "row_scale", "--root", tmp_path)
    shown = [grader("hint", "row_scale", "--root", tmp_path).stdout.split()[0] for _ in range(4)]
    assert shown == ["concept", "place", "invariant", "invariant"]
    assert "place (2 of 3)" in grader("hint", "row_scale", "--level", 2, "--root", tmp_path).stdout


def test_doctor_runs_known_good_kernels() -> None:
    done = grader("doctor")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("right") >= 2
