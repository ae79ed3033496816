"""Users that nobody else has, one for each sandbox: limits count per user, and a user's processes end at once.

The numbers need no entry in /etc/passwd. A lock, held by the grader and given back by the kernel when it dies, keeps
two graders from using the same one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError

_LOCKS = Path("/run/kernel-grader-users")
_NUMBERS = range(65000, 65500)  # below 65536: a container may have no more; reserved by no distribution
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
        subprocess.run([*self.drop(), tool("kill"), "-KILL", "--", "-1"], check=False, capture_output=True)

    def release(self) -> None:
        """Give the number back; whoever gets it finds nothing of what was before."""
        for place in _OPEN_TO_ALL:
            for path in _owned(Path(place), self.number):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
        os.close(self.lock)

    def written_bytes(self, folder: Path) -> int:
        """What this user keeps on disks: in its own folder, and where every user may write."""
        tops = [folder, *(path for place in _OPEN_TO_ALL for path in _owned(Path(place), self.number))]
        return sum(_size(path) for top in tops for path in (top, *_below(top)))


def acquire() -> User:
    """A user for one sandbox, without any process; needs root."""
    _LOCKS.mkdir(mode=0o700, exist_ok=True)
    for number in _NUMBERS:
        lock = os.open(_LOCKS / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return User(number, lock)
    raise GraderError(f"all {len(_NUMBERS)} users for sandboxes are taken; expected a free lock in {_LOCKS}")


def tool(name: str) -> str:
    """The path of a program of util-linux."""
    found = shutil.which(name)
    if found is None:
        raise GraderError(f"`{name}` is not installed; it is part of util-linux: apt-get install util-linux")
    return found


def _owned(place: Path, number: int) -> Iterator[Path]:
    try:
        with os.scandir(place) as entries:
            yield from [Path(e.path) for e in entries if e.stat(follow_symlinks=False).st_uid == number]
    except OSError:
        return


def _below(top: Path) -> Iterator[Path]:
    """What lies below, without following links."""
    for folder, names, files in os.walk(top):
        yield from (Path(folder, name) for name in (*names, *files))


def _size(path: Path) -> int:
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_blocks * 512 if stat.S_ISREG(found.st_mode) else 0
