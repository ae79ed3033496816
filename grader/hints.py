"""An exercise's hints: three layers, from the concept to the place to what must hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from grader.errors import UsageError

LEVELS = ("concept", "place", "invariant")


def load_hints(folder: Path) -> Mapping[str, str]:
    """The layers of an exercise's hints.yaml; raises UsageError when one is missing or empty."""
    file = folder / "hints.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None
    if not isinstance(data, dict) or tuple(data) != LEVELS:
        raise UsageError(f"{file}: expected the fields {', '.join(LEVELS)}, in this order")
    for level, text in data.items():
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"{file}: {level}: expected a text")
    return data
