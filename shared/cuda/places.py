"""Which lines of a kernel file the instructions of its library come from, by binutils' addr2line."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

_TIMEOUT_S = 10.0


def lines_of(library: Path, places: Iterable[int], filename: str) -> dict[int, int]:
    """The line of `filename` for each place (bytes from the library's start) that has one.

    What the compiler has put in line counts for the innermost line of the file itself, not of a header. Without
    addr2line nothing is known.
    """
    wanted = sorted({place for place in places if place > 0})
    tool = shutil.which("addr2line")
    if tool is None or not wanted:
        return {}
    command = [tool, "-a", "-i", "-e", str(library), *map(hex, wanted)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return _read(run.stdout, Path(filename).name)


def _read(output: str, filename: str) -> dict[int, int]:
    """An address stands in front of its lines, the innermost first."""
    found: dict[int, int] = {}
    place = 0
    for row in output.splitlines():
        if row.startswith("0x"):
            place = int(row, 16)
            continue
        file, _, rest = row.rpartition(":")
        number = rest.split()[0] if rest else ""
        if place not in found and Path(file).name == filename and number.isdigit() and int(number) > 0:
            found[place] = int(number)
    return found
