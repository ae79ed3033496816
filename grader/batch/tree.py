"""What was handed in, as a list of files with paths, whether it lies in folders or in archives. Nothing is unpacked.

Everything here comes from strangers. Links are not followed, absolute names and `..` are refused, no more than a bound
of any file is read, and what cannot be read is a node with a problem, never an exception.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath

MAX_FILES = 20_000
"""In one archive or folder; beyond, it is no hand-in of a course."""
MAX_ARCHIVE_BYTES = 256 * 2**20
"""Of an archive that lies in another one: it is read into memory."""
MAX_UNPACKED_BYTES = 4 * 2**30
_JUNK = frozenset({"__MACOSX", ".DS_Store", ".git", "__pycache__", ".nox", ".venv", "Thumbs.db", "desktop.ini"})
_ZIP, _TAR = (".zip",), (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_OF_USE = (*_ZIP, *_TAR, ".py", ".cu", ".yml", ".yaml")
_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,  # zipfile's word for a password
    NotImplementedError,
    MemoryError,
    zipfile.BadZipFile,
    tarfile.TarError,
)


class Unreadable(Exception):
    """Why the bytes of a file cannot be had, in words for a TA."""


@dataclass(frozen=True)
class Node:
    """One file: its path with `/`, in NFC; `read(n)` gives its first n bytes, or raises Unreadable.

    An empty folder is a node, too: its path ends with `/`, and it has no bytes.
    """

    path: str
    read: Callable[[int], bytes]
    modified: float = 0.0  # seconds since 1970; 0 where nobody says
    problem: str = ""  # why it is refused, then it has no bytes

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def is_folder(self) -> bool:
        """Whether it is an empty folder."""
        return self.path.endswith("/") or not self.path

    @property
    def is_archive(self) -> bool:
        """Whether its name is that of an archive."""
        return not self.is_folder and self.name.lower().endswith((*_ZIP, *_TAR))

    def below(self, folder: str) -> Node:
        """The same with a folder around it."""
        return replace(self, path=f"{folder}/{self.path}")


def nodes(path: Path) -> list[Node]:
    """All files of a folder or an archive, sorted by path."""
    found = _without_full_folders(_of_folder(path)) if path.is_dir() else of_archive(path.name, path)
    return sorted(found, key=lambda node: node.path)


def _without_full_folders(found: Iterable[Node]) -> list[Node]:
    """All nodes but the folders that have others below them."""
    nodes = list(found)
    full = {f"{parent}/" for node in nodes for parent in PurePosixPath(node.path).parents}
    return [node for node in nodes if not node.is_folder or node.path not in full]


def refused(path: str, problem: str) -> Node:
    """A file that is there, and is not read."""

    def nothing(limit: int) -> bytes:
        raise Unreadable(problem)

    return Node(path, nothing, problem=problem)


def is_junk(path: str) -> bool:
    """Whether systems and editors made it, and no student."""
    parts = PurePosixPath(path).parts
    return any(part in _JUNK or part.startswith("._") for part in parts)


def _of_folder(folder: Path) -> Iterator[Node]:
    count = 0
    for place, folders, names in os.walk(folder):
        here = PurePosixPath(Path(place).relative_to(folder).as_posix())
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        folders[:] = sorted(name for name in folders if not is_junk(name) and name not in links)
        yield from (refused(f"{_normal(str(here / name))}/", _FOLDER) for name in folders)
        for name in sorted(name for name in [*names, *links] if not is_junk(name)):
            path = _normal(str(here / name))
            count += 1
            if count > MAX_FILES:
                yield refused(path, f"more than {MAX_FILES:,} files; this one and the others are not looked at")
                return
            yield _of_file(Path(place) / name, path)


def _of_file(file: Path, path: str) -> Node:
    def read(limit: int) -> bytes:
        try:
            with file.open("rb") as stream:
                before = os.fstat(stream.fileno())
                data = stream.read(limit)
                after = os.fstat(stream.fileno())
        except OSError as error:
            raise Unreadable(f"cannot be read: {error.strerror}") from None
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            raise Unreadable("changed while it was read; run again")
        return data

    try:
        found = file.lstat()
    except OSError as error:
        return refused(path, f"cannot be looked at: {error.strerror}")
    if not stat.S_ISREG(found.st_mode):
        return refused(path, _KINDS.get(stat.S_IFMT(found.st_mode), "is no file"))
    return Node(path, read, found.st_mtime)


_FOLDER = "is a folder; expected a file"
_KINDS = {
    stat.S_IFLNK: "is a link; expected the file itself",
    stat.S_IFIFO: "is a pipe; expected a file",
    stat.S_IFSOCK: "is a socket; expected a file",
    stat.S_IFCHR: "is a device; expected a file",
    stat.S_IFBLK: "is a device; expected a file",
}


def of_archive(name: str, source: Path | bytes) -> list[Node]:
    """The files in an archive; one node with a problem where it cannot be opened."""
    return _without_full_folders(_of_archive(name, source))


def _of_archive(name: str, source: Path | bytes) -> Iterator[Node]:
    opened = _of_zip if name.lower().endswith(_ZIP) else _of_tar
    try:
        for count, node in enumerate(opened(source)):
            if count >= MAX_FILES:
                yield refused(node.path, f"more than {MAX_FILES:,} files; this one and the others are not looked at")
                return
            yield node
    except _UNREADABLE as error:
        yield refused("", f"cannot be opened: {_said(error)}")


def _of_zip(source: Path | bytes) -> Iterator[Node]:
    archive = zipfile.ZipFile(source if isinstance(source, Path) else io.BytesIO(source))
    for info in archive.infolist():
        name = _normal(info.filename)
        if is_junk(name):
            continue
        if info.is_dir() and not _bad_name(name):
            yield refused(f"{name.rstrip('/')}/", _FOLDER)
            continue
        kind = stat.S_IFMT(info.external_attr >> 16)
        problem = _bad_name(name) or (_KINDS.get(kind, "is no file") if kind not in (0, stat.S_IFREG) else "")
        problem = problem or ("is encrypted; expected no password" if info.flag_bits & 1 else "")
        yield refused(_shown(name), problem) if problem else Node(name, _zip_reader(archive, info), _when(info))


def _zip_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        try:
            with archive.open(info) as member:
                return member.read(limit)
        except _UNREADABLE as error:
            raise Unreadable(f"cannot be unpacked: {_said(error)}") from None

    return read


def _when(info: zipfile.ZipInfo) -> float:
    try:
        return datetime(*info.date_time, tzinfo=timezone.utc).timestamp()
    except ValueError:
        return 0.0


def _of_tar(source: Path | bytes) -> Iterator[Node]:
    """A tar is read from its start to its end, once: what may be of use is kept, up to a bound."""
    unpacked = 0
    with (
        source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as stream,
        tarfile.open(fileobj=stream) as archive,
    ):
        for info in archive:
            name = _normal(info.name)
            unpacked += info.size
            if unpacked > MAX_UNPACKED_BYTES:
                raise tarfile.TarError(f"unpacks to more than {MAX_UNPACKED_BYTES >> 30} GB")
            if is_junk(name):
                continue
            if info.isdir() and not _bad_name(name):
                yield refused(f"{name.rstrip('/')}/", _FOLDER)
                continue
            problem = _bad_name(name)
            if not problem and not info.isreg():
                problem = "is a link; expected the file itself" if info.islnk() or info.issym() else "is no file"
            yield refused(_shown(name), problem) if problem else _kept(archive, info, name)


def _kept(archive: tarfile.TarFile, info: tarfile.TarInfo, name: str) -> Node:
    if not name.lower().endswith(_OF_USE):
        return Node(name, lambda limit: b"", float(info.mtime))
    member = archive.extractfile(info)
    data = member.read(MAX_ARCHIVE_BYTES + 1) if member is not None else b""
    return Node(name, lambda limit: data[:limit], float(info.mtime))


def _bad_name(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or (len(name) > 1 and name[1] == ":"):
        return "has an absolute name"
    return "has `..` in its name" if ".." in path.parts else ""


def _shown(name: str) -> str:
    """A refused name, so that no path can be made of it."""
    return name.replace("..", "__").lstrip("/")


def _normal(name: str) -> str:
    """With `/`, composed (macOS decomposes), without a leading `./`, and without what a terminal would obey."""
    plain = unicodedata.normalize("NFC", name.replace("\\", "/")).removeprefix("./")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in plain)


def _said(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    return text.splitlines()[0][:120]
