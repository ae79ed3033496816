"""Each level that this host gives; one that it lacks is skipped with the reason, never passed.

Submissions here need no torch, so their workers start without it: an attack is the same, and takes milliseconds.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.boundary import sandbox
from grader.boundary.host import Host
from grader.boundary.proxy import SubmissionProxy
from grader.boundary.sandbox import Level, probes
from grader.boundary.server import Plan
from grader.boundary.workers import Workers
from grader.exercise import Entry, Exercise, Limits, Points
from grader.records import Failure

LIMITS = Limits(load_s=5.0, call_s=5.0, memory_mb=256.0, disk_mb=64.0, processes=64)


@pytest.fixture(scope="module", params=[Level.NAMESPACES, Level.UID], ids=lambda level: level.value)
def level(request: pytest.FixtureRequest) -> Level:
    found: Level = request.param
    folder = Path(tempfile.mkdtemp(prefix="kernel-grader-test-"))
    try:
        folder.chmod(0o711)
        lack = probes.lack(found, sandbox.make_view(folder / "view"), folder, hidden=())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if lack is not None:
        pytest.skip(f"not run: this host lacks the level {found.value}: {lack.reason}; try: {lack.mend}")
    return found


def bare(exercise: Exercise, device: str) -> Plan:
    """A worker without torch, for any exercise."""
    return Plan("bare", exercise.limits.disk_mb, exercise.limits.processes)


@pytest.fixture(scope="module")
def workers(level: Level) -> Iterator[Workers]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plan, "of", bare)
        patch.setenv("STAFF_SECRET", "the-secret-of-the-grader")
        with Workers(level=level) as found:
            yield found


def submit(workers: Workers, text: str, limits: Limits = LIMITS) -> tuple[SubmissionProxy, Host]:
    """A submission that defines `f(x)`."""
    made = Exercise(
        name="a_test",
        folder=Path(),
        title="",
        order=0,
        lecture="",
        file="answer.py",
        stub_digest="",
        entries=(Entry(name="f", parameters=("x",), declaration="f(x)"),),
        prototypes=(),
        requires=(),
        device="any",
        limits=limits,
        points=Points(visible=0, hidden=0),
        performance=(),
    )
    host = Host(made, text, "cpu", workers)
    return SubmissionProxy(host, "cpu"), host


Attack = Callable[..., Any]


@pytest.fixture
def attack(workers: Workers) -> Iterator[Attack]:
    """Run a submission; what it returned, or the finding that it got. Afterwards the next one is graded as usual."""
    hosts: list[Host] = []

    def run(text: str, x: Any = None, limits: Limits = LIMITS) -> Any:
        proxy, host = submit(workers, text, limits)
        hosts.append(host)
        try:
            return proxy.f(x)
        except Failure as error:
            return error.finding
        finally:
            proxy.close()

    yield run
    for host in hosts:
        host.close()
    proxy, host = submit(workers, "def f(x):\n    return [x, x]\n")
    try:
        assert proxy.f("as usual") == ["as usual", "as usual"]
    finally:
        proxy.close()
        host.close()


def server_of(host: Host) -> Any:
    """The running server of a submission, as the grader holds it."""
    sandboxes: Any = host._sandboxes
    return next(iter(sandboxes._servers.values()))


def alive(pids: list[int]) -> list[int]:
    """Those that still run: one that has ended may wait for its parent to notice."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists() and states([pid]) != {"Z"}]


def states(pids: list[int]) -> set[str]:
    return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in pids}


@pytest.fixture(scope="module")
def secrets() -> Iterator[dict[str, str]]:
    """Files that no submission may read: some closed by permission, some only out of sight."""
    course = Path(tempfile.mkdtemp(prefix="course-"))
    try:
        course.chmod(0o755)
        for name, mode in (("open", 0o644), ("closed", 0o600)):
            folder = course / name / "solutions"
            folder.mkdir(parents=True)
            (folder / "answer.py").write_text("the solution")
            (folder / "answer.py").chmod(mode)
            folder.chmod(0o755 if name == "open" else 0o700)
        yield {name: str(course / name / "solutions/answer.py") for name in ("open", "closed")}
    finally:
        shutil.rmtree(course)


@pytest.fixture
def grader_pid() -> int:
    return os.getpid()
