"""Arguments and results as JSON.

Plain values (None, bool, int, float, str) stand for themselves, and so do values of derived types. Everything else
is an object with one key that names it: `list`, `tuple`, `dict`, `tensor`, `callback`, `object`, `workload`,
`other`. What a leaf such as a tensor looks like is the caller's business (`leaf`); the containers are the same on
both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PLAIN = (type(None), bool, int, float, str)


def pack(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Turn a value into JSON; what is no container and not plain goes through `leaf`."""
    if type(value) in PLAIN:
        return value
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, list):
        return {"list": [pack(item, leaf) for item in value]}
    if isinstance(value, tuple):
        return {"tuple": [pack(item, leaf) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[pack(k, leaf), pack(v, leaf)] for k, v in value.items()]}
    return leaf(value)


def unpack(value: Any, leaf: Callable[[str, Any], Any]) -> Any:
    """The inverse of `pack`; raise ValueError for what `pack` never writes."""
    if type(value) in PLAIN:
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(f"no packed value: {str(value)[:80]}")
    (tag, content), *_ = value.items()
    if tag == "dict":
        return {unpack(k, leaf): unpack(v, leaf) for k, v in content}
    if tag in ("list", "tuple"):
        items = [unpack(item, leaf) for item in content]
        return items if tag == "list" else tuple(items)
    return leaf(tag, content)
