"""The three levels, best first."""

from __future__ import annotations

from enum import Enum


class Level(str, Enum):
    """What stands between a submission and this machine; `docs/threat-model.md` says what each one holds."""

    NAMESPACES = "namespaces"
    UID = "uid"
    NONE = "none"
