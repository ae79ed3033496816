"""Really graded, in a folder like Gradescope's, open to everybody: as root, with submissions as another user.

The hidden tests, the results and the metadata are readable and the results' folder writable by all at the start: it is
the command that closes them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.boundary import sandbox
from grader.boundary.sandbox import Level, probes
from grader.export import feedback
from grader.gradescope.settings import BUDGET
from tests.gradescope.places import lay_out, results, zipped

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def another_user() -> None:
    """As in tests/sandbox: a host that lacks the level is named, and the tests count as not run."""
    folder = Path(tempfile.mkdtemp(prefix="kernel-grader-test-"))
    try:
        folder.chmod(0o711)
        lack = probes.lack(Level.UID, sandbox.make_view(folder / "view"), folder, probes.staff_files())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if lack is not None:
        pytest.skip(f"not run: this host lacks the level uid: {lack.reason}; try: {lack.mend}")


@pytest.fixture
def base() -> Iterator[Path]:
    """In the open: pytest's own folders are root's alone, and would hide everything by themselves."""
    made = Path(tempfile.mkdtemp(prefix="autograder-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


def grade(base: Path, budget: str = "") -> subprocess.CompletedProcess[str]:
    env = environment(budget)
    return subprocess.run(words(base), cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def words(base: Path) -> list[str]:
    return [sys.executable, "-m", "grader", "gradescope", str(base), "--root", str(base / "source/course")]


def environment(budget: str = "") -> dict[str, str]:
    return {**os.environ, "KERNEL_GRADER_SANDBOX": "uid", BUDGET: budget}


def hand_in(base: Path, **texts: str) -> None:
    for name, text in texts.items():
        (base / f"submission/{name}.py").write_text(text)


def statuses(data: dict[str, Any]) -> dict[str, str]:
    return {name: each["status"] for name, each in data["extra_data"]["exercises"].items()}


LOOKS_AROUND = """
import os
BASE, GRADER = {base!r}, {grader!r}
READ = ["results/results.json", "submission_metadata.json", "source/course/package.json",
        "source/course/exercises/looks/hidden/test_hidden.py"]
WRITE = ["results/results.json", "results/.results.json", "results/stdout", "source/course/package.json",
         "submission/good.py", "submission_metadata.json"]
found = []
for name in READ:
    try:
        found.append("read " + name + open(os.path.join(BASE, name)).read()[:20])
    except OSError:
        pass
for name in WRITE:
    try:
        open(os.path.join(BASE, name), "w").write('{{"score": 1000}}')
        found.append("wrote " + name)
    except OSError:
        pass
for act in (lambda: os.listdir(BASE + "/results"), lambda: os.remove(BASE + "/results/results.json"),
            lambda: os.rename(BASE + "/results", BASE + "/gone"), lambda: os.listdir(BASE + "/source")):
    try:
        found.append(str(act()))
    except OSError:
        pass
for folder in os.listdir("/tmp"):
    if folder.startswith("kernel-grader-"):
        try:
            found.append(str(os.listdir("/tmp/" + folder + "/batch")))
        except OSError:
            pass
print("found", found)

def looks(x):
    print("found", found)
    return x + x
"""
KILLS = """
import os, signal

def kills(x):
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        if pid != os.getpid():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
    return x + x
"""
SLEEPS = "import time\n\ndef sleeps(x):\n    time.sleep(10_000)\n"


def test_a_hostile_submission_harms_its_own_exercise_alone(base: Path) -> None:
    lay_out(base, ["kills", "sleeps", "looks", "good"])
    looks = LOOKS_AROUND.format(base=str(base), grader=os.getpid())
    hand_in(base, kills=KILLS, sleeps=SLEEPS, looks=looks, good="def good(x):\n    return 2 * x\n")
    before = _left()
    done = grade(base)
    assert (done.returncode, done.stderr) == (0, "")
    data = results(base)
    found = statuses(data)
    assert found.pop("kills") in ("crashed", "passed")  # whom it may kill are its own
    assert found == {"sleeps": "timeout", "looks": "passed", "good": "passed"}
    seen = next(test["output"] for test in data["tests"] if test["name"] == "looks: test_small")
    assert seen.partition("your prints:\n")[2] == "found []\nfound []"
    assert (base / "submission/good.py").read_text().startswith("def good")
    assert (base / "results").stat().st_mode & 0o777 == 0o777  # as it was
    assert not _left() - before


def test_an_honest_submission_in_a_zip(base: Path) -> None:
    course = lay_out(base, ["good", "stub", "missing"])
    stub = (course / "exercises/stub/stub.py").read_text()
    (base / "submission/all of it.zip").write_bytes(zipped(good="def good(x):\n    return 2 * x\n", stub=stub))
    done = grade(base)
    assert (done.returncode, done.stderr) == (0, "")
    data = results(base)
    assert statuses(data) == {"good": "passed", "stub": "not_attempted", "missing": ""}
    assert (data["score"], sum(test["max_score"] for test in data["tests"])) == (5, 15)
    hidden = [test["visibility"] for test in data["tests"] if test["name"] == "good: test_half"]
    assert hidden == ["after_published"]


def test_the_time_is_over_before_anything_is_known(base: Path) -> None:
    lay_out(base, ["good"])
    hand_in(base, good="def good(x):\n    return 2 * x\n")
    older = base / "results/results.json"
    older.write_text('{"score": 3}')
    done = grade(base, budget="0.5")
    assert done.returncode == 3
    assert "good: Not graded in time" in done.stdout
    assert "the time is over" in done.stderr
    assert older.read_text() == '{"score": 3}'
    assert not [line for line in _processes() if str(base) in line]


def test_killed_at_any_moment_it_leaves_what_was_known(base: Path) -> None:
    """As at Gradescope's own time limit: no warning, and everything goes at once."""
    lay_out(base, ["good", "sleeps"])
    slow = base / "source/course/exercises/sleeps/exercise.yaml"
    slow.write_text(slow.read_text().replace("call_s: 1.0", "call_s: 600.0"))
    hand_in(base, good="def good(x):\n    return 2 * x\n", sleeps=SLEEPS)
    process = subprocess.Popen(words(base), cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL)
    try:
        _wait((base / "results/results.json").exists)
    finally:
        process.kill()
        process.wait()
    data = results(base)
    assert (statuses(data)["good"], data["score"]) == ("passed", 5)
    assert data["tests"][-1]["output"] == feedback.NOT_IN_TIME
    _wait(lambda: not [line for line in _processes() if str(base) in line])


def _wait(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def _left() -> set[Path]:
    """Folders of graders, each with a batch of one in it."""
    return {folder.parent for folder in Path(tempfile.gettempdir()).glob("kernel-grader-*/batch")}


def _processes() -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield (folder / "cmdline").read_text()
        except OSError:
            continue
