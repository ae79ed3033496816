"""Hand-ins that are hostile or odd: what is built, and the line that the table must have. Each is built in a folder
with a good submission beside it, which must come through.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

GOOD = b"def double(x):\n    return 2 * x\n"
NEWER = b"def double(x):\n    return x + x\n"


@dataclass(frozen=True)
class Odd:
    """One input."""

    name: str
    build: Callable[[Path], None]
    line: str  # in the table; a regular expression
    has_file: bool = False  # whether the odd submission's file for `double` is found all the same


def zipped(members: dict[str, bytes], **attributes: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
            info.external_attr = attributes.get("mode", 0o100644) << 16
            archive.writestr(info, content)
    return data.getvalue()


def tarred(members: dict[str, bytes], kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(content) if kind == tarfile.REGTYPE else None)
    return data.getvalue()


def in_zip(members: dict[str, bytes], **attributes: int) -> Callable[[Path], None]:
    return file("odd/answers.zip", zipped(members, **attributes))


def in_tar(members: dict[str, bytes], kind: bytes = tarfile.REGTYPE, link: str = "") -> Callable[[Path], None]:
    return file("odd/answers.tar.gz", tarred(members, kind, link))


def file(name: str, data: bytes) -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    return build


def files(*names: str, data: bytes = GOOD) -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        for name in names:
            file(name, data)(folder)

    return build


def together(*builds: Callable[[Path], None]) -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        for each in builds:
            each(folder)

    return build


def linked(target: str) -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        (folder / "odd").mkdir()
        (folder / "odd/double.py").symlink_to(target)

    return build


def fifo(folder: Path) -> None:
    (folder / "odd").mkdir()
    os.mkfifo(folder / "odd/double.py")


def linked_folder(folder: Path) -> None:
    (folder / "odd").mkdir()
    (folder / "odd/all").symlink_to("/etc")


def encrypted(folder: Path) -> None:
    data = bytearray(zipped({"double.py": GOOD}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    file("odd/answers.zip", bytes(data))(folder)


def bad_checksum(folder: Path) -> None:
    data = bytearray(zipped({"double.py": bytes(range(256)) * 16}))
    data[60] ^= 0xFF
    file("odd/answers.zip", bytes(data))(folder)


def old_and_new(folder: Path) -> None:
    files("odd/double.py", data=GOOD)(folder)
    files("odd/double (1).py", data=NEWER)(folder)
    os.utime(folder / "odd/double.py", (1_000_000_000, 1_000_000_000))


def twice_in_zip(folder: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in (("first", GOOD), ("second", NEWER)):
            archive.writestr(zipfile.ZipInfo(f"{name}/double.py"), content)
    file("odd/answers.zip", data.getvalue())(folder)


def many(folder: Path) -> None:
    file("odd/answers.zip", zipped({f"{n}.txt": b"" for n in range(20_100)}))(folder)


def tar_bomb(folder: Path) -> None:
    """Says that a member has a terabyte."""
    info = tarfile.TarInfo("double.py")
    info.size = 1 << 40
    file("odd/answers.tar.gz", gzip.compress(info.tobuf(tarfile.GNU_FORMAT)))(folder)


ODD = (
    Odd("empty folder", lambda folder: (folder / "odd").mkdir(), r"odd: nothing was handed in"),
    Odd("empty folder in a folder", lambda f: (f / "odd/a/b").mkdir(parents=True), r"odd: nothing was handed in"),
    Odd("zip of an empty folder", in_zip({"a/": b""}), r"odd: no file of an exercise; there is answers.zip"),
    Odd("nothing of ours", files("odd/essay.txt"), r"odd: no file of an exercise; there is essay.txt"),
    Odd("many things, nothing of ours", files(*(f"odd/{n}.txt" for n in "abcd")), r"odd: no file .* c.txt, …"),
    Odd("other case", files("odd/Double.PY"), r"odd", has_file=True),
    Odd("browser's copy", files("odd/double (1).py"), r"odd", has_file=True),
    Odd("browser's copy without a space", files("odd/double(2).py"), r"odd", has_file=True),
    Odd("finder's copy", files("odd/double copy.py"), r"odd", has_file=True),
    Odd("resubmission's suffix", files("odd/double-1.py"), r"odd", has_file=True),
    Odd("deep in folders", files("odd/a/b/c/double.py"), r"odd +a/b/c/double.py", has_file=True),
    Odd("old and new", old_and_new, r"double \(1\).py is the newest; not used: double.py", has_file=True),
    Odd("same file twice", files("odd/double.py", "odd/copy/double.py"), r"odd", has_file=True),
    Odd("two in one archive", twice_in_zip, r"is the newest; not used: answers.zip/", has_file=True),
    Odd(
        "loose file beside an archive",
        together(files("odd/double.py"), in_zip({"double.py": NEWER})),
        r"double.py is the newest; not used: answers.zip/double.py",
        has_file=True,
    ),
    Odd("link", linked("/etc/passwd"), r"double.py is a link"),
    Odd("link to nothing", linked("nowhere"), r"double.py is a link"),
    Odd("linked folder", linked_folder, r"all is a link"),
    Odd("pipe", fifo, r"double.py is a pipe"),
    Odd("folder in its place", lambda f: (f / "odd/double.py").mkdir(parents=True), r"double.py/ is a folder"),
    Odd("macOS's shadow", files("odd/double.py", "odd/._double.py"), r"odd", has_file=True),
    Odd("macOS's folder", in_zip({"double.py": GOOD, "__MACOSX/._double.py": b"x"}), r"odd", has_file=True),
    Odd("a repository", files("odd/double.py", "odd/.git/double.py"), r"odd +double.py", has_file=True),
    Odd("staff's names", files("odd/double.py", "odd/conftest.py"), r"odd: not used: conftest.py", has_file=True),
    Odd("tests", files("odd/double.py", "odd/test_visible.py"), r"not used: test_visible.py", has_file=True),
    Odd("a reference", files("odd/double.py", "odd/reference.py"), r"not used: reference.py", has_file=True),
    Odd("site customisation", files("odd/double.py", "odd/sitecustomize.py"), r"not used: sitecustom", has_file=True),
    Odd("zip", in_zip({"double.py": GOOD}), r"odd +answers.zip/double.py", has_file=True),
    Odd("zip with a folder in it", in_zip({"answers/double.py": GOOD}), r"answers.zip/answers/double", has_file=True),
    Odd("zip of Windows", in_zip({"answers\\double.py": GOOD}), r"answers.zip/answers/double.py", has_file=True),
    Odd("tar", in_tar({"double.py": GOOD}), r"answers.tar.gz/double.py", has_file=True),
    Odd("tar with dots", in_tar({"./double.py": GOOD}), r"answers.tar.gz/double.py", has_file=True),
    Odd("absolute name in zip", in_zip({"/etc/double.py": GOOD}), r"answers.zip/etc/double.py has an absolute name"),
    Odd("drive in zip", in_zip({"C:\\double.py": GOOD}), r"has an absolute name"),
    Odd("parents in zip", in_zip({"../../double.py": GOOD}), r"answers.zip/__/__/double.py has `..` in its name"),
    Odd("parents in tar", in_tar({"../double.py": GOOD}), r"has `..` in its name"),
    Odd("absolute name in tar", in_tar({"/double.py": GOOD}), r"has an absolute name"),
    Odd("link in zip", in_zip({"double.py": b"/etc/passwd"}, mode=0o120777), r"answers.zip/double.py is a link"),
    Odd("device in zip", in_zip({"double.py": b""}, mode=0o020666), r"answers.zip/double.py is a device"),
    Odd("link in tar", in_tar({"double.py": b""}, tarfile.SYMTYPE, "/etc/passwd"), r"double.py is a link"),
    Odd("hard link in tar", in_tar({"double.py": b""}, tarfile.LNKTYPE, "/etc/passwd"), r"double.py is a link"),
    Odd("device in tar", in_tar({"double.py": b""}, tarfile.CHRTYPE), r"double.py is no file"),
    Odd("pipe in tar", in_tar({"double.py": b""}, tarfile.FIFOTYPE), r"double.py is no file"),
    Odd("encrypted zip", encrypted, r"answers.zip/double.py is encrypted"),
    Odd("checksum", bad_checksum, r"answers.zip/double.py cannot be unpacked"),
    Odd("half a zip", file("odd/answers.zip", zipped({"double.py": GOOD})[:60]), r"answers.zip cannot be opened"),
    Odd("half a tar", file("odd/answers.tar.gz", tarred({"double.py": GOOD})[:40]), r"answers.tar.gz cannot be opened"),
    Odd("no zip at all", file("odd/answers.zip", b"hello"), r"answers.zip cannot be opened: File is not a zip file"),
    Odd("no tar at all", file("odd/answers.tgz", b"hello"), r"answers.tgz cannot be opened"),
    Odd("empty zip", file("odd/answers.zip", b""), r"answers.zip cannot be opened"),
    Odd("zip in a zip", in_zip({"in.zip": zipped({"double.py": GOOD})}), r"in.zip is an archive within an archive"),
    Odd("tar in a zip", in_zip({"in.tar": b"x"}), r"answers.zip/in.tar is an archive within an archive"),
    Odd("bomb", in_zip({"double.py": b"\0" * 50_000_000}), r"odd", has_file=True),  # no more than a bound is read
    Odd("bomb of tar", tar_bomb, r"answers.tar.gz cannot be opened: unpacks to more than"),
    Odd("very many files", many, r"more than 20,000 files"),
    Odd("id with spaces", files("Ödön von Horváth/double.py"), r"cannot be the name of a file", has_file=True),
    Odd("id like a path", files("..odd../double.py"), r"the id '..odd..' cannot be the name of a file", has_file=True),
    Odd("very long id", files(f"{'ő' * 100}/double.py"), r"cannot be the name of a file", has_file=True),
    Odd("ids that differ in case", files("odd/double.py", "ODD/double.py"), r"the id 'odd' is taken", has_file=True),
    Odd("decomposed name", files("odd\u0308/double.py"), r"odd̈|odd\u0308|od", has_file=True),
    Odd("loose file", files("odd/double.py", "double.py"), r"double.py belongs to no submission", has_file=True),
    Odd("name that prints", files("odd/\x1b[31mred.txt"), r"there is \ufffd\[31mred.txt"),
    Odd("name that is no text", file(os.fsdecode(b"odd/\xff.txt"), b""), r"there is \ufffd.txt"),
    Odd("name with markup", files("odd/[bold]x[/bold].txt"), r"there is \[bold\]x"),
    Odd("a file too large", file("odd/double.py", b"#" * 1_000_001), r"odd", has_file=True),  # its verdict says so
)
