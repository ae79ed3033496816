"""Levels as they are probed, and workers as they wait."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.boundary import sandbox
from grader.boundary.sandbox import Level, probes
from grader.boundary.server import Plan
from grader.boundary.workers import Workers
from tests.sandbox.conftest import LIMITS, alive, server_of, submit


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="kernel-grader-test-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def test_a_readable_secret_is_a_lack_where_files_are_hidden_by_permissions(level: Level, place: Path) -> None:
    open_file = place / "solution.py"
    open_file.touch(mode=0o644)
    open_file.chmod(0o644)
    lack = probes.lack(level, sandbox.make_view(place / "view"), place, (open_file,))
    if level is Level.NAMESPACES:
        assert lack is None, "it is not there at all"
    else:
        assert lack is not None
        assert lack.mend == f"chmod -R go-rwx {open_file}"


def test_a_missing_program_is_named(level: Level, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(place))
    lack = probes.lack(level, sandbox.make_view(place / "view"), place, ())
    assert lack is not None
    assert "is not installed" in lack.reason
    assert "apt-get install" in lack.mend


def test_without_root_there_is_no_other_user(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    lack = probes.lack(Level.UID, sandbox.make_view(place / "view"), place, ())
    assert lack is not None
    assert "only root" in lack.reason


def test_each_submission_has_its_own_sandbox_and_its_settings_share_it(workers: Workers) -> None:
    text = "def f(x):\n    return x\n"
    (first, one), (second, other) = submit(workers, text), submit(workers, text)
    assert first.f(1) == second.f(1) == 1
    assert server_of(one) is not server_of(other)
    kept = server_of(one)
    first.close()
    assert first.f(2) == 2
    assert server_of(one) is kept
    if os.getuid() == 0:
        assert server_of(one).cell.user != server_of(other).cell.user
    for proxy, host in ((first, one), (second, other)):
        proxy.close()
        host.close()


def test_what_was_announced_stands_ready(workers: Workers) -> None:
    proxy, host = submit(workers, "def f(x):\n    return x\n")
    workers.prepare(host.exercise, "cpu")
    ((waiting, *_),) = [servers for servers in workers._waiting.values() if servers]
    time.sleep(0.2)
    assert proxy.f(1) == 1
    assert server_of(host) is waiting
    proxy.close()
    host.close()


def test_shared_workers_serve_all_from_one_sandbox(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    with Workers(level=level, shared=True) as found:
        plan = Plan("bare", LIMITS.disk_mb, 64)
        assert found.standing(plan) is found.standing(plan)
        found.end(found.standing(plan))
        assert found.standing(plan).control.fileno() >= 0, "a new one where the old one has died"


def test_leaving_ends_everything(level: Level) -> None:
    with Workers(level=level) as found:
        plan = Plan("bare", 16.0, 64)
        pids = found.take(plan).cell.pids() + [pid for s in found._waiting[plan] for pid in s.cell.pids()]
        folder = found._folder
    assert not folder.exists()
    time.sleep(0.05)
    assert not alive(pids)


def test_a_killed_grader_leaves_nothing_running(level: Level, tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            found = Workers(level=level)
            server = found.take(Plan("bare", 16.0, 64))
            (tmp_path / "pids").write_text(" ".join(map(str, server.cell.pids())))
            os.kill(os.getpid(), 9)
        finally:
            os._exit(1)
    os.waitpid(pid, 0)
    deadline = time.monotonic() + 2
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert pids
    while running := alive(pids):
        assert time.monotonic() < deadline, running
        time.sleep(0.02)
