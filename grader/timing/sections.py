"""Sections of docs/measurements.md that commands write: one for each kind of measurement and device."""

from __future__ import annotations


def placed(document: str, what: str, device: str, section: str) -> str:
    """The document with the section about `what` on this device replaced, or put at its end."""
    start, end = f"<!-- {what} of {device} -->", f"<!-- end of {what} of {device} -->"
    block = f"{start}\n{section.strip()}\n{end}"
    before, found, rest = document.partition(start)
    if not found:
        return f"{document.rstrip()}\n\n{block}\n"
    return before + block + rest.partition(end)[2]
