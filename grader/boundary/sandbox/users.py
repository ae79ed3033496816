"""Users that nobody else has, one for each sandbox: limits count per user, and a user's processes end at once.

The numbers need no entry in /etc/passwd. A lock, held by the grader and given back by the kernel when it dies, keeps
two graders from using the same one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import random
import shutil
import stat
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError

_LOCKS = Path("/run/kernel-grader-users")
_NUMBERS = range(65000, 65500)  # below 65536: a container may have no more
_OPEN_TO_ALL = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/dev/mqueue")


@dataclass(frozen=True)
class User:
    """A user's number, and the lock that makes it ours."""

    number: int
    lock: int

    def drop(self) -> list[str]:
        """The command that becomes this user, for good."""
        number = str(self.number)
        return [
            tool("setpriv"),
            *("--reuid", number, "--regid", number, "--clear-groups"),
            *("--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--pdeathsig", "KILL", "--"),
        ]

    def kill(self) -> None:
        """End every process of this user at once: none can be born in between."""
        subprocess.run([*self.drop(), tool("sh"), "-c", "kill -s KILL -- -1"], check=False, capture_output=True)

    def pids(self) -> list[int]:
        """Every process of this user, also one that has left the tree of those that started it."""
        return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if _user_of(folder) == self.number]

    def clean(self) -> None:
        """End its processes and remove its files: whoever has the number next finds nothing of what was before."""
        self.kill()
        left = self._places()
        if left:
            subprocess.run([tool("rm"), "-rf", "--", *left], check=False, capture_output=True)

    def release(self) -> None:
        """Give the number back."""
        os.close(self.lock)

    def written_bytes(self, folder: Path, pids: Iterable[int]) -> int:
        """What it keeps on disks: in its own folder, where every user may write, and in files without a name.

        By `du`, which no depth of folders stops.
        """
        done = subprocess.run(
            [tool("du"), "-s", "-B1", "--", str(folder), *self._places()], check=False, capture_output=True, text=True
        )
        named = sum(int(line.split()[0]) for line in done.stdout.splitlines())
        return named + sum(_without_name(pid) for pid in pids)

    def _places(self) -> list[str]:
        """What it owns where every user may write."""
        return [path for place in _OPEN_TO_ALL for path in _owned(place, self.number)]


def acquire() -> User:
    """A user for one sandbox, without any process; needs root."""
    _LOCKS.mkdir(mode=0o700, exist_ok=True)
    # In any order: the kernel counts a user's processes over all containers of a host, where each has its own locks.
    for number in random.sample(_NUMBERS, len(_NUMBERS)):
        if _is_somebodys(number):
            continue
        lock = os.open(_LOCKS / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return User(number, lock)
    raise GraderError(f"all {len(_NUMBERS)} users for sandboxes are taken; expected a free lock in {_LOCKS}")


def _is_somebodys(number: int) -> bool:
    """Whether this host knows the number: a person's, or one that systemd has given to a service."""
    try:
        pwd.getpwuid(number)
    except KeyError:
        return Path("/run/systemd/dynamic-uid", str(number)).exists()
    return True


def _user_of(folder: Path) -> int:
    """The real user of a process; -1 when it is gone. The folder's owner is root where it cannot be dumped."""
    try:
        text = (folder / "status").read_text()
    except OSError:
        return -1
    return int(text.partition("\nUid:")[2].split()[0])


def tool(name: str) -> str:
    """The path of a program of util-linux."""
    found = shutil.which(name)
    if found is None:
        raise GraderError(f"`{name}` is not installed; it is part of util-linux: apt-get install util-linux")
    return found


def _owned(place: str, number: int) -> list[str]:
    found: list[str] = []
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # removed in the meantime
                if entry.stat(follow_symlinks=False).st_uid == number:
                    found.append(entry.path)
    return found


def _without_name(pid: int) -> int:
    """Bytes of open files that have been removed; not those of memory that the grader lends."""
    total = 0
    with contextlib.suppress(OSError):  # it has ended
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # closed in the meantime
                total += _bytes_without_name(descriptor)
    return total


def _bytes_without_name(descriptor: Path) -> int:
    found = descriptor.stat()
    is_file = stat.S_ISREG(found.st_mode) and found.st_nlink == 0
    is_memory = is_file and str(descriptor.readlink()).startswith("/memfd:")
    return found.st_blocks * 512 if is_file and not is_memory else 0
