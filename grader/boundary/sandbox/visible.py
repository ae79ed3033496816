"""What a worker may see of this machine: the system, Python, compilers, and a copy of its own code.

Whatever is not listed does not exist inside: exercises, solutions, tests, homes, other submissions. A folder that is
listed and holds the course's own folder (Python in /srv, the course in /srv/course) is shown with a hole in it.
"""

from __future__ import annotations

import compileall
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from grader.boundary.sandbox.level import Level
from shared.cuda import build

ROOT = Path(__file__).resolve().parents[3]
"""The course's folder, with exercises and solutions, of which a worker sees nothing."""

INSIDE = Path("/worker")
"""Where the worker's own code lies in a sandbox with its own root."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")


@dataclass(frozen=True)
class View:
    """The copy of the worker's code, and room for compiled parts of the grader that workers read."""

    PARTS: ClassVar = ("code", "cache")
    code: Path
    cache: Path

    def add(self, folder: Path) -> None:
        """Copy a folder of the grader's own cache to where workers read it."""
        shutil.copytree(folder, self.cache / folder.name, dirs_exist_ok=True)
        open_to_read(self.cache / folder.name)


def inside(level: Level, view: View) -> View:
    """The view as a worker sees it."""
    return View(INSIDE / "code", INSIDE / "cache") if level is Level.NAMESPACES else view


def make_view(folder: Path) -> View:
    """Copy what a worker imports into a new folder, readable by every user and writable by none of them.

    A copy, since the course's folder may be closed to the worker's user, and has more in it.
    """
    code, cache = folder / "code", folder / "cache"
    for part in ("grader/worker", "shared"):
        # What another process is just compiling has a name of its own for a moment, and is gone when it is copied.
        shutil.copytree(ROOT / part, code / part, ignore=shutil.ignore_patterns("*.pyc.*"))
    shutil.copy2(ROOT / "grader/__init__.py", code / "grader")
    cache.mkdir()
    compileall.compile_dir(code, quiet=2)  # workers write nothing: what is missing now is compiled at each start
    open_to_read(folder)
    return View(code, cache)


def open_to_read(folder: Path) -> None:
    """Let every user read a tree, whatever the umask was."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def library_paths() -> list[str]:
    """Folders given by PYTHONPATH, where libraries may lie on a machine that installs nothing; never the course's."""
    return [str(path) for path in _listed("PYTHONPATH")]


def _listed(variable: str) -> list[Path]:
    """The folders that a variable names, without those of the course."""
    given = [Path(path).absolute() for path in os.environ.get(variable, "").split(os.pathsep) if path]
    return [path for path in given if not _is_ours(path.resolve())]


def _is_ours(path: Path) -> bool:
    ours = [ROOT / name for name in ("exercises", "solutions", "tests", "grader", "shared", ".git")]
    return path == ROOT or any(path == own or own in path.parents for own in ours)


def system_links() -> Iterator[tuple[str, str]]:
    """(target, link): `/bin` is a link to `/usr/bin` on most systems."""
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            yield str(path.readlink()), str(path)


def folders() -> list[Path]:
    """Every folder or file that is shown, read-only, at its own place; none lies in another."""
    wanted = [Path(path) for path in _SYSTEM if not Path(path).is_symlink()]
    wanted += [Path("/etc") / name for name in _ETC]
    wanted += [Path(path).resolve() for path in (sys.prefix, sys.base_prefix, *library_paths())]
    wanted += [Path(sys.prefix), Path(sys.base_prefix), *map(Path, library_paths()), *_toolchains()]
    found: list[Path] = []
    for path in sorted({p for p in wanted if p.exists()}, key=lambda p: len(p.parts)):
        if not _is_too_wide(path) and not any(_covers(shown, path) for shown in found):
            found.append(path)
    return found


def _is_too_wide(path: Path) -> bool:
    """Whether showing it would show what must be hidden: a compiler in `~/bin` does not open the home."""
    return path in (Path("/"), Path("/tmp"), Path.home(), ROOT)


def _covers(shown: Path, path: Path) -> bool:
    """Whether showing one shows the other, which is so unless a hole lies between them."""
    if shown != path and shown not in path.parents:
        return False
    return not any(hole == path or hole in path.parents for hole in holes([shown]))


def holes(shown: Sequence[Path]) -> list[Path]:
    """What must be hidden again: the course's folder and the user's home, where a shown folder contains them."""
    return [hidden for hidden in (ROOT, Path.home().resolve()) if any(path in hidden.parents for path in shown)]


def _toolchains() -> Iterator[Path]:
    """Where compilers and CUDA lie outside of the system's folders."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name])
    yield from _listed("LD_LIBRARY_PATH")
    named = [os.environ.get(name, "").partition(" ")[0] for name in ("CC", "CXX")]  # Triton takes the first
    programs = [shutil.which(name) for name in (*named, "gcc", "clang", "ld") if name]
    for program in (*programs, build.find_cpu_compiler(), build.find_gpu_compiler()):
        if program is not None:
            for path in (Path(program), Path(program).resolve()):
                if path.parent.name == "bin":
                    yield path.parent.parent
