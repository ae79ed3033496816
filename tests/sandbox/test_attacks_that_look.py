"""Reading what belongs to others: files, processes, the environment, descriptors, the network."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from grader.boundary.sandbox import Level, syscalls
from grader.boundary.workers import Workers
from grader.records import Finding
from tests.sandbox.conftest import Attack, server_of, submit

ROOT = Path(__file__).parents[2]

READ = """
import os

def f(paths):
    got = []
    for path in paths:
        try:
            if os.path.isdir(path):
                os.listdir(path)
            else:
                open(path, "rb").read(1)
        except OSError:
            continue
        got.append(path)
    return got
"""


def test_a_file_closed_to_others_cannot_be_read(attack: Attack, secrets: dict[str, str]) -> None:
    assert attack(READ, [secrets["closed"]]) == []


def test_with_a_root_of_its_own_nothing_of_the_course_is_there(
    level: Level, attack: Attack, secrets: dict[str, str]
) -> None:
    if level is not Level.NAMESPACES:
        pytest.skip("not promised at this level: files are hidden by their permissions alone")
    paths = [
        secrets["open"],
        *(str(ROOT / name) for name in ("solutions", "exercises", "tests", "grader", "README.md")),
    ]
    homes = [str(Path.home() / name) for name in (".ssh", ".bashrc", ".profile", ".gitconfig", ".cache")]
    others = ["/home", "/var", "/run", "/srv", "/mnt", "/media", "/etc/passwd", "/etc/shadow", "/etc/hostname"]
    assert attack(READ, [*paths, *homes, *others]) == []


def test_the_home_of_root_cannot_be_listed(attack: Attack) -> None:
    if os.getuid() != 0:
        pytest.skip("not run: needs root")
    shown = attack(
        "import os\n\ndef f(x):\n    try:\n        return os.listdir(x)\n    except OSError:\n        return []\n",
        "/root",
    )
    assert set(shown) <= {".pyenv", ".local", ".nox"}  # Python itself may live there: of that, nothing else is seen


PROCESS = """
import os

def f(pid):
    got = []
    for name in ("environ", "mem", "fd", "maps", "root", "cwd", "exe"):
        path = f"/proc/{pid}/{name}"
        try:
            if name in ("fd", "root", "cwd"):
                got += [name] if os.listdir(path) else []
            elif open(path, "rb").read(1):
                got.append(name)
        except OSError:
            pass
    return got
"""


SEARCH = """
import glob

def f(x):
    got = []
    for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
        try:
            got.append(b"the-secret" in open(path, "rb").read())
        except OSError:
            pass
    return any(got)
"""


def test_nothing_is_read_from_the_process_of_the_grader(attack: Attack, grader_pid: int) -> None:
    if os.getuid() == 0:  # as another user the sandbox's own process 1 is the grader's in name only
        assert attack(PROCESS, grader_pid) == []
    assert attack(SEARCH) is False


def test_no_secret_is_in_the_environment(attack: Attack) -> None:
    text = "import os\n\ndef f(x):\n    return [sorted(os.environ), 'the-secret' in str(dict(os.environ))]\n"
    names, found = attack(text)
    assert not found
    assert not [name for name in names if "PYTEST" in name or "SECRET" in name or "TOKEN" in name]


def test_only_its_own_descriptors_are_inherited(attack: Attack) -> None:
    text = (
        "import os\n\ndef f(x):\n    found = []\n    for name in os.listdir('/proc/self/fd'):\n        try:\n"
        "            found.append(os.readlink('/proc/self/fd/' + name))\n        except OSError:\n            pass\n"
        "    return found\n"
    )
    found = [name for name in attack(text) if not name.startswith(("/proc/", "/memfd:lent"))]
    kinds = sorted(name.split(":")[0] for name in found)
    assert kinds == ["/dev/null", "pipe", "pipe", "socket"], found


SERVER = """
import os

def f(x):
    got = []
    for name, mode in (("mem", "r+b"), ("environ", "rb"), ("fd/1", "wb")):
        try:
            open(f"/proc/{os.getppid()}/{name}", mode).close()
            got.append(name)
        except OSError:
            pass
    return got
"""


def test_its_server_cannot_be_looked_into(attack: Attack) -> None:
    assert attack(SERVER) == []


SIGNAL = """
import os

def f(pid):
    try:
        os.kill(pid, 0)
        return "reached"
    except ProcessLookupError:
        return "no such process"
    except PermissionError:
        return "not allowed"
"""


def test_the_grader_cannot_be_killed(level: Level, attack: Attack, grader_pid: int) -> None:
    if level is Level.NAMESPACES and grader_pid < 100:
        pytest.skip("not run: a process of the sandbox has the number of the grader")
    assert attack(SIGNAL, grader_pid) in ("no such process", "not allowed")


KILL = """
import os

def f(pids):
    for pid in pids:
        try:
            os.kill(pid, 9)
        except OSError:
            pass
    return 0
"""


def test_another_submission_cannot_be_killed(level: Level, workers: Workers, attack: Attack) -> None:
    """At both levels the other one is another user, or does not exist."""
    proxy, host = submit(workers, "import os\n\ndef f(x):\n    return os.getpid()\n")
    inside = proxy.f(0)
    outside = server_of(host).cell.pids()
    attack(KILL, [pid for pid in outside if level is Level.UID or pid > 100])
    assert proxy.f(0) == inside, "it lives"
    proxy.close()
    host.close()


SYSCALLS = """
import ctypes

def f(numbers):
    libc = ctypes.CDLL(None, use_errno=True)
    got = []
    for name, number in numbers.items():
        ctypes.set_errno(0)
        done = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6)
        if done != -1 or ctypes.get_errno() != 1:
            got.append([name, done, ctypes.get_errno()])
    return got
"""


def test_forbidden_system_calls_fail(attack: Attack) -> None:
    names = """
        ptrace process_vm_readv process_vm_writev pidfd_getfd mount umount2 pivot_root unshare setns open_tree
        move_mount bpf perf_event_open userfaultfd io_uring_setup keyctl add_key request_key open_by_handle_at
        init_module kexec_load reboot swapon memfd_create personality modify_ldt chroot
    """.split()  # noqa: SIM905 - a list of these words would be a page
    assert attack(SYSCALLS, syscalls.denied_numbers(names)) == []


def test_a_namespace_by_clone_is_refused(attack: Attack) -> None:
    text = (
        "import ctypes, platform\n\ndef f(x):\n    libc = ctypes.CDLL(None, use_errno=True)\n"
        "    number = {'x86_64': 56, 'aarch64': 220}[platform.machine()]\n"
        "    done = libc.syscall(number, 0x10000000 | 17, 0, 0, 0, 0)\n    return [done, ctypes.get_errno()]\n"
    )
    assert attack(text) == [-1, 1]


def test_calls_of_another_abi_are_refused(attack: Attack) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("not run: x32 is an ABI of x86-64")
    text = SYSCALLS.replace("numbers.items()", "{'x32 getpid': 0x40000000 | 39}.items()")
    assert attack(text) == []


NETWORK = """
import socket

def f(places):
    got = []
    for family, kind, place in places:
        try:
            with socket.socket(family, kind) as s:
                s.settimeout(1)
                s.connect(tuple(place))
                s.send(b"x")
            got.append(place)
        except OSError:
            pass
    return got
"""


def test_no_network_is_reached(attack: Attack) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        places = [
            [socket.AF_INET, socket.SOCK_STREAM, ["127.0.0.1", port]],
            [socket.AF_INET, socket.SOCK_DGRAM, ["8.8.8.8", 53]],
            [socket.AF_INET6, socket.SOCK_STREAM, ["::1", port]],
        ]
        assert attack(NETWORK, [list(map(_plain, place)) for place in places]) == []


def _plain(value: Any) -> Any:
    return value if isinstance(value, list) else int(value)


WRITE = """
import os, sys

def f(more):
    got = []
    places = ["/", "/usr", "/usr/bin", "/etc", "/bin", "/dev", "/sys", sys.prefix, sys.base_prefix, *sys.path, *more]
    for place in places:
        if not place or place == os.getcwd():
            continue
        try:
            open(os.path.join(place, "written"), "w").close()
            got.append(place)
        except OSError:
            pass
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper"):
        try:
            open(path, "w").close()
            got.append(path)
        except OSError:
            pass
    return got
"""


def test_nothing_that_others_read_can_be_written(workers: Workers, attack: Attack) -> None:
    cache = workers.runtime()
    assert attack(WRITE, [cache, *(str(path) for path in Path(workers._view.cache).iterdir())]) == []
    assert not list(workers._folder.rglob("written"))


def test_it_has_no_rights_and_cannot_become_root(attack: Attack) -> None:
    text = """
import json, os

def f(x):
    lines = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    tried = []
    calls = (os.setuid, (0,)), (os.setgid, (0,)), (os.chroot, ("/tmp",)), (os.mknod, ("/tmp/n", 0o20666, 0x103))
    for call, arguments in calls:
        try:
            call(*arguments)
            tried.append("done")
        except OSError:
            pass
    names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    return json.dumps([tried, os.getuid(), os.getgroups(), {name: lines[name].strip() for name in names}])
"""
    tried, uid, groups, status = json.loads(attack(text))
    assert tried == []
    assert uid != 0
    assert 0 not in groups
    assert {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_it_is_what_the_kernel_ends_first(attack: Attack) -> None:
    assert attack("def f(x):\n    return int(open('/proc/self/oom_score_adj').read())\n") == 1000


def test_a_signal_to_everything_reaches_only_its_own_sandbox(attack: Attack) -> None:
    outcome = attack("import os\n\ndef f(x):\n    os.kill(-1, 9)\n    return 'still here'\n")
    assert outcome == "still here" or isinstance(outcome, Finding)
