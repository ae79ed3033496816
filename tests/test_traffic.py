"""The record of what a call moved, and the form in which it travels."""

from __future__ import annotations

from typing import Any

import pytest

from shared.traffic import Site, Traffic, pack, unpack

LOAD = Site(12, "load", "global", "x", requests=8, num_bytes=1024, transfers=256, ideal=32)
STORE = Site(13, "store", "shared", "tile", requests=8, num_bytes=1024, transfers=8, ideal=8)
TRAFFIC = Traffic(launches=2, programs=8, barriers=16, sites=(LOAD, STORE))


def test_it_travels() -> None:
    assert unpack(pack(TRAFFIC)) == TRAFFIC


def test_excess_is_a_factor_and_shared_memory_is_no_traffic() -> None:
    assert LOAD.excess == 8.0
    assert Site(1, "load", "global", "", 0, 0, 0, 0).excess == 1.0
    assert TRAFFIC.global_bytes == 1024


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"launches": -1, "programs": 1, "barriers": 0, "sites": []},
        {"launches": True, "programs": 1, "barriers": 0, "sites": []},
        {"launches": 1, "programs": 1, "barriers": 0, "sites": "x"},
        {"launches": 1, "programs": 1, "barriers": 0, "sites": [[1, "load"]]},
        {"launches": 1, "programs": 1, "barriers": 0, "sites": [[1, "peek", "global", "x", 1, 1, 1, 1]]},
        {"launches": 1, "programs": 1, "barriers": 0, "sites": [[1, "load", "texture", "x", 1, 1, 1, 1]]},
        {"launches": 1, "programs": 1, "barriers": 0, "sites": [[1, "load", "global", "x", 1, 1.5, 1, 1]]},
        {"launches": 1, "programs": 1, "barriers": 0, "sites": [[1, "load", "global", 7, 1, 1, 1, 1]]},
    ],
)
def test_what_is_none_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="none"):
        unpack(message)
