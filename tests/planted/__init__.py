"""Planted bugs, and kernels that are right (`README.md`)."""

from __future__ import annotations

import re
from pathlib import Path


def header(path: Path) -> dict[str, str]:
    """What a `.cu` file says of itself: `// EXPECTED: race` is {"EXPECTED": "race"}."""
    return dict(re.findall(r"^// ([A-Z]+): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE))
