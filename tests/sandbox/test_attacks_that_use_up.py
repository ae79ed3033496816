"""Using up what others need: memory, disks, processes, time; and what stays behind."""

from __future__ import annotations

import contextlib
import os
import signal
import time
import uuid
from pathlib import Path

import pytest

from grader.boundary.sandbox import Cell, Level, cgroups
from grader.boundary.server import Plan
from grader.boundary.workers import Workers
from grader.records import Failure, Finding
from grader.status import Status
from tests.sandbox.conftest import LIMITS, Attack, alive, bare, server_of, states, submit


def commands() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text().replace("\0", " "))
        except OSError:
            continue
    return found


FORK_BOMB = """
import os, time

def f(x):
    born = 0
    try:
        while born < 5000:
            if os.fork() == 0:
                try:
                    while True:
                        if os.fork() == 0:
                            time.sleep(0.01)
                except OSError:
                    time.sleep(1000)
            born += 1
    except OSError:
        return born
"""


def test_a_fork_bomb_is_held_and_ended(attack: Attack) -> None:
    before = len(commands())
    outcome = attack(FORK_BOMB)
    assert isinstance(outcome, Finding) or outcome < 64
    assert len(commands()) < before + 20


SHARED_MEMORY = """
import mmap, time

def f(x):
    kept = []
    for _ in range(64):
        kept.append(mmap.mmap(-1, 64 << 20))
        kept[-1].write(b"x" * (64 << 20))
    time.sleep(1)
    return "4 GB are mine"
"""


def test_shared_memory_counts_and_is_ended(attack: Attack) -> None:
    outcome = attack(SHARED_MEMORY)
    assert isinstance(outcome, Finding)
    assert outcome.status is Status.CRASHED
    assert "memory" in outcome.summary


def test_memory_of_many_children_counts_together(attack: Attack) -> None:
    text = """
import os, time

def f(x):
    for _ in range(16):
        if os.fork() == 0:
            kept = bytearray(b"x" * (100 << 20))
            time.sleep(1000)
    time.sleep(4)
    return "1.6 GB are mine"
"""
    outcome = attack(text)
    assert isinstance(outcome, Finding)
    assert outcome.status is Status.CRASHED
    assert "memory" in outcome.summary


FILL = """
import os, time

def f(place):
    written = 0
    block = b"x" * (4 << 20)
    for number in range(64):
        with open(os.path.join(place or os.getcwd(), f"filler-{number}"), "wb", buffering=0) as file:
            for _ in range(8):
                written += file.write(block)
        time.sleep(0.05)
    return written
"""


def test_a_disk_is_not_filled(attack: Attack) -> None:
    outcome = attack(FILL, "")
    assert isinstance(outcome, Finding), outcome


def test_files_without_a_name_count_too(attack: Attack) -> None:
    text = FILL.replace("        time.sleep", "        kept.append(os.dup(file.fileno()))\n        time.sleep")
    text = text.replace("            for _ in", "            os.unlink(file.name)\n            for _ in")
    outcome = attack(text.replace("    written = 0", "    written, kept = 0, []"), "")
    assert isinstance(outcome, Finding), outcome


def test_places_where_all_may_write_are_not_filled(attack: Attack) -> None:
    for place in ("/tmp", "/dev/shm", "/var/tmp"):
        outcome = attack(FILL, place)
        assert isinstance(outcome, Finding), (place, outcome)


def test_without_a_control_group_the_watchdog_holds(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "of", bare)
    monkeypatch.setattr(cgroups, "around", lambda *arguments: None)
    with Workers(level=level) as found:
        proxy, host = submit(found, SHARED_MEMORY)
        with pytest.raises(Failure, match="memory"):
            proxy.f(0)
        proxy.close()
        host.close()
        proxy, host = submit(found, FORK_BOMB)
        with contextlib.suppress(Failure):
            assert proxy.f(0) < 64
        proxy.close()
        host.close()


def test_without_the_watchdog_the_control_group_holds(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    if not cgroups.available():
        pytest.skip("not run: no control group can be made here")
    monkeypatch.setattr(Cell, "resident_bytes", lambda self: 0)
    outcome = attack(SHARED_MEMORY)
    assert isinstance(outcome, Finding)
    assert outcome.summary == "the process used too much memory and was ended by the system"


def test_nothing_is_left_for_the_next_one(level: Level, workers: Workers) -> None:
    """The sandbox is gone, and with it every file: two submissions cannot pass each other notes."""
    name = f"note-{uuid.uuid4().hex}"  # what other processes of this machine leave there is no concern of ours
    places = f"[p + '/{name}' for p in ('/tmp', '/dev/shm')]"
    write = f"def f(x):\n    for note in {places}:\n        open(note, 'w').close()\n    return []\n"
    read = f"import os\n\ndef f(x):\n    return [note for note in {places} if os.path.exists(note)]\n"
    for text in (write, read):
        proxy, host = submit(workers, text)
        with contextlib.closing(host), contextlib.closing(proxy):
            assert proxy.f(0) == []
    assert not Path("/dev/shm", name).exists()


def test_a_daemon_does_not_survive_its_setting(attack: Attack) -> None:
    text = """
import os, time

def f(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 100)
            os.execvp("sleep", ["sleep", "987654"])
        os._exit(0)
    os.wait()
    time.sleep(0.3)
    return "a daemon is running"
"""
    assert attack(text) == "a daemon is running"
    assert not [line for line in commands() if "sleep 987654" in line]


def test_a_daemon_does_not_survive_its_server(attack: Attack) -> None:
    text = """
import os, signal, time

def f(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 100)
            os.execvp("sleep", ["sleep", "876543"])
        os._exit(0)
    os.wait()
    time.sleep(0.3)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1)
    return "nobody watches"
"""
    outcome = attack(text)
    assert isinstance(outcome, Finding)
    deadline = time.monotonic() + 2
    while [line for line in commands() if "sleep 876543" in line] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [line for line in commands() if "sleep 876543" in line]


def test_a_loop_that_ignores_signals_is_ended(attack: Attack) -> None:
    text = """
import contextlib, signal

def f(x):
    for number in range(1, 32):
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        pass
"""
    outcome = attack(text, None, LIMITS.model_copy(update={"call_s": 0.5}))
    assert isinstance(outcome, Finding)
    assert outcome.status is Status.TIMEOUT


def test_the_sandbox_that_was_used_is_gone(workers: Workers) -> None:
    proxy, host = submit(workers, "def f(x):\n    return x\n")
    assert proxy.f(1) == 1
    inside = server_of(host).cell.pids()
    assert len(inside) >= 2
    proxy.close()
    host.close()
    assert not alive(inside)


def tell(pids: list[int], number: int) -> None:
    for pid in pids:
        os.kill(pid, number)


def test_a_frozen_sandbox_stands_still_and_goes_on(workers: Workers) -> None:
    proxy, host = submit(workers, "def f(x):\n    return x\n")
    assert proxy.f(1) == 1
    cell = server_of(host).cell
    tell(cell.pids(), signal.SIGSTOP)
    deadline = time.monotonic() + 1
    while states(cell.pids()) != {"T"} and time.monotonic() < deadline:
        time.sleep(0.001)
    assert states(cell.pids()) == {"T"}
    tell(cell.pids(), signal.SIGCONT)
    assert proxy.f(2) == 2
    tell(cell.pids(), signal.SIGSTOP)
    inside = cell.pids()
    cell.end()  # a frozen one can be ended too
    assert not alive(inside)
    proxy.close()
    host.close()
