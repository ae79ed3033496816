"""The pieces that the sandbox is made of, without starting any."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader.boundary.sandbox import Level, cell, cgroups, command, devices, probes, syscalls, users, visible
from grader.boundary.sandbox.command import Request
from grader.boundary.sandbox.visible import View
from grader.errors import GraderError

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED, REFUSED, NO_SUCH_CALL = 0x7FFF0000, 0x00050001, 0x00050026


def decide(machine: str, number: int, *arguments: int, architecture: int | None = None, own: bool = True) -> int:
    """What the kernel would decide: the few instructions that the program uses, executed."""
    data = struct.pack(
        "<IIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *arguments, *[0] * (6 - len(arguments))
    )
    lines = list(struct.iter_unpack("<HBBI", syscalls.program(own, machine)))
    at, value = 0, 0
    while True:
        code, yes, no, k = lines[at]
        at += 1
        if code == 0x06:
            return int(k)
        if code == 0x20:
            value = struct.unpack_from("<I", data, k)[0]
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += yes if holds else no


@pytest.mark.parametrize(
    ("machine", "read", "ptrace", "clone", "clone3", "ioctl", "socket"),
    [("x86_64", 0, 101, 56, 435, 16, 41), ("aarch64", 63, 117, 220, 435, 29, 198)],
)
def test_the_filter_decides(
    machine: str, read: int, ptrace: int, clone: int, clone3: int, ioctl: int, socket: int
) -> None:
    assert decide(machine, read) == ALLOWED
    assert decide(machine, ptrace) == REFUSED
    assert decide(machine, clone, 17) == ALLOWED
    assert decide(machine, clone, 0x3D0F00) == ALLOWED, "a thread, as pthread_create makes it"
    assert decide(machine, clone, 0x10000000 | 17) == REFUSED, "a user namespace"
    assert decide(machine, clone3) == NO_SUCH_CALL
    assert decide(machine, ioctl, 0, 0x5401) == ALLOWED
    assert decide(machine, ioctl, 0, 0x5412) == REFUSED, "TIOCSTI"
    assert decide(machine, ioctl, 0, (1 << 32) | 0x5412) == REFUSED, "the kernel looks at 32 bits only"
    assert decide(machine, socket, 2) == ALLOWED, "there is a network namespace"
    assert decide(machine, socket, 2, own=False) == REFUSED
    assert decide(machine, socket, 1, own=False) == ALLOWED
    other = next(value for name, value in ARCHITECTURES.items() if name != machine)
    assert decide(machine, read, architecture=other) == REFUSED


def test_the_x32_abi_is_refused() -> None:
    assert decide("x86_64", 0x40000000) == REFUSED
    assert decide("x86_64", 0x3FFFFFFF) == ALLOWED


def test_an_unknown_processor_has_no_filter() -> None:
    with pytest.raises(ValueError, match="no list of system calls for 'riscv64'"):
        syscalls.program(True, "riscv64")


def facts(**changed: Any) -> dict[str, Any]:
    good = {
        "uid": 65000,
        "gids": [65000],
        "capabilities": 0,
        "bounded": True,
        "filter": True,
        "sees_grader": False,
        "processes": 2,
        "namespaces": ["mnt:[1]"],
        "readable": [],
        "writable": [],
    }
    return good | changed


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"uid": 0}, "runs as root"),
        ({"gids": [65000, 0]}, "runs as root"),
        ({"capabilities": 1}, "capabilities"),
        ({"bounded": False}, "filter"),
        ({"filter": False}, "filter"),
        ({"sees_grader": True}, "environment"),
        ({"writable": ["/usr"]}, "write to /usr"),
        ({"processes": 90}, "processes of the host"),
        ({"readable": ["/course/solutions"]}, "every user can read /course/solutions"),
    ],
)
def test_a_broken_promise_is_a_lack(changed: dict[str, Any], words: str) -> None:
    assert probes._judged(Level.NAMESPACES, facts()) is None
    lack = probes._judged(Level.NAMESPACES, facts(**changed))
    assert lack is not None
    assert words in lack.reason
    assert lack.mend


def test_a_shared_namespace_is_a_lack() -> None:
    ours = str(Path("/proc/self/ns/net").readlink())
    lack = probes._judged(Level.NAMESPACES, facts(namespaces=["mnt:[1]", ours]))
    assert lack is not None
    assert "shares a namespace" in lack.reason


@pytest.mark.parametrize("said", ["", "null", "[]", '{"word": "guessed"}', "bwrap: setting up uid map: not permitted"])
def test_only_the_right_word_is_an_answer(said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(probes, "_ask", lambda *arguments: said)
    lack = probes._tried(Level.NAMESPACES, View(tmp_path, tmp_path), tmp_path, ())
    assert lack is not None
    assert "does not start" in lack.reason


def test_a_level_that_is_asked_for_and_lacking_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    view = View(tmp_path, tmp_path)
    monkeypatch.setattr(probes, "_known", {Level.UID: probes.Lack("no reason", "mend it")})
    monkeypatch.setenv(probes.CHOICE, "uid")
    with pytest.raises(GraderError, match="this host lacks: no reason; try: mend it"):
        probes.chosen(view, tmp_path)
    monkeypatch.setenv(probes.CHOICE, "strong")
    with pytest.raises(GraderError, match="expected one of namespaces, uid, none"):
        probes.chosen(view, tmp_path)


def test_the_best_level_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(probes.CHOICE, raising=False)
    lack = probes.Lack("a", "b")
    for lacking, best in (([], "namespaces"), ([Level.NAMESPACES], "uid"), ([Level.NAMESPACES, Level.UID], "none")):
        monkeypatch.setattr(probes, "_known", {level: lack if level in lacking else None for level in Level})
        assert probes.chosen(View(tmp_path, tmp_path), tmp_path).value == best


def request_of(mode: str) -> Request:
    return Request(("true",), mode, 0, 16.0, 64)


def test_the_environment_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", f"/opt/libraries:{visible.ROOT}:{visible.ROOT / 'solutions'}")
    env = command.environment(request_of("torch"), Path("/tmp"), Path("/worker/code"))
    assert "secret" not in str(env)
    assert env["PYTHONPATH"] == "/worker/code:/opt/libraries"
    assert env["TRITON_INTERPRET"] == "1"
    assert env["HOME"] == env["TMPDIR"] == "/tmp"


def test_what_is_shown_has_a_hole_where_the_course_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    course, python = tmp_path / "srv/course", tmp_path / "srv/course/.nox/environment"
    python.mkdir(parents=True)
    monkeypatch.setattr(visible, "ROOT", course)
    monkeypatch.setattr(visible.sys, "prefix", str(python))
    monkeypatch.setattr(visible.sys, "base_prefix", str(tmp_path / "srv"))
    shown = visible.folders()
    assert tmp_path / "srv" in shown
    assert python in shown, "on top of the hole"
    assert course in visible.holes(shown)


def test_a_compiler_in_the_home_does_not_open_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "bin/g++"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CXX", str(compiler))
    assert tmp_path not in visible.folders()


def test_the_view_has_the_worker_and_nothing_else(tmp_path: Path) -> None:
    view = visible.make_view(tmp_path / "view")
    names = {path.name for path in (view.code / "grader").iterdir()} - {"__pycache__"}
    assert names == {"__init__.py", "worker"}
    assert {path.name for path in view.code.iterdir()} == {"grader", "shared"}
    assert all(path.stat().st_mode & 0o022 == 0 for path in view.code.rglob("*"))


def test_what_is_just_being_compiled_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name is gone a moment later, and a copy of it would fail."""
    for name in ("grader/worker/__pycache__/a.cpython-311.pyc.1234", "grader/__init__.py", "shared/a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(visible, "ROOT", tmp_path)
    view = visible.make_view(tmp_path / "view")
    assert not list(view.code.rglob("*.pyc.*"))


INFORMATION = "Model: \t\t NVIDIA H200\nDevice Minor: \t 3\n"


def test_a_gpu_has_the_node_that_its_driver_says(tmp_path: Path) -> None:
    for bus, text in (("0000:1b:00.0", INFORMATION), ("0000:2b:00.0", "Device Minor: 0\n")):
        (tmp_path / bus).mkdir()
        (tmp_path / bus / "information").write_text(text)
    assert devices.node_of("0000:1B:00.0", tmp_path) == "/dev/nvidia3"
    assert devices.node_of("", tmp_path) is None
    assert devices.node_of("0000:1B:00.0", tmp_path / "nowhere") is None


def test_groups_of_version_1(tmp_path: Path) -> None:
    for name, own in (("memory", "memory/docker/abc"), ("pids", "pids")):  # the second as a container shows it
        (tmp_path / own).mkdir(parents=True)
        (tmp_path / own / "cgroup.procs").touch()
        assert (tmp_path / name).is_dir()
    found = cgroups._version_1(tmp_path, {"memory": "/docker/abc", "pids": "/docker/abc"})
    assert found == cgroups.Parents(1, (tmp_path / "memory/docker/abc", tmp_path / "pids"))
    assert cgroups._version_1(tmp_path / "nowhere", {}) is None


def test_groups_of_version_2(tmp_path: Path) -> None:
    here = tmp_path / "user.slice/session.scope"
    here.mkdir(parents=True)
    (here.parent / "cgroup.subtree_control").write_text("cpu memory pids\n")
    found = cgroups._version_2(tmp_path, {"": "/user.slice/session.scope"})
    assert found == [cgroups.Parents(2, (here.parent,))], "beside our own group, which may have no children"


@pytest.mark.parametrize("version", [1, 2])
def test_a_group_has_its_bounds_before_anybody_is_in(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = (tmp_path / "both",) if version == 2 else (tmp_path / "memory", tmp_path / "pids")
    for folder in folders:
        folder.mkdir()
    monkeypatch.setattr(cgroups, "_parents", lambda: cgroups.Parents(version, folders))
    group = cgroups.around([123], 500, 64)
    assert group is not None
    bound = "memory.max" if version == 2 else "memory.limit_in_bytes"
    assert (group.folders[0] / bound).read_text() == "500"
    assert (group.folders[-1] / "pids.max").read_text() == "64"
    assert [(folder / "cgroup.procs").read_text() for folder in group.folders] == ["123"] * len(folders)


def test_a_group_of_version_2_says_what_happened(tmp_path: Path) -> None:
    group = cgroups.Group(2, (tmp_path,))
    (tmp_path / "memory.events").write_text("low 0\noom 1\noom_kill 0\n")
    assert not group.was_out_of_memory()
    (tmp_path / "memory.events").write_text("oom 1\noom_kill 2\n")
    assert group.was_out_of_memory()


def test_processes_and_files_may_vanish_while_they_are_looked_at(tmp_path: Path) -> None:
    """A worker compiles: children come and go, thousands of times between two looks of the watchdog."""
    busy = "while :; do : > note & (: > other; rm -f other note); done"
    shell = subprocess.Popen(["sh", "-c", busy], cwd=tmp_path, start_new_session=True)
    try:
        for _ in range(300):
            pids = cell.tree(shell.pid)
            assert pids[0] == shell.pid
            assert all(users._without_name(pid) == 0 for pid in pids)
            assert {Path(path).name for path in users._owned(str(tmp_path), os.getuid())} <= {"note", "other"}
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
    assert cell.tree(shell.pid) == [shell.pid]
    assert users._without_name(shell.pid) == 0
