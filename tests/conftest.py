"""Fixtures of the grader's own tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.boundary import server
from grader.boundary.workers import Workers
from shared.cuda import build

HERE = Path(__file__).parent
CONTENT = HERE / "content"
ROOT = HERE.parent


os.environ.setdefault("KERNEL_GRADER_SANDBOX", "none")
"""Reports do not depend on what this host gives; `tests/sandbox` starts every level by itself."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the reports of tests/golden anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need what is not here are deselected, and so not counted as passed; those for a GPU are asked for."""
    lacking = {"gpu"} if not config.option.markexpr else set()
    lacking |= {"nvcc"} if build.find_gpu_compiler() is None else set()
    left = [item for item in items if any(item.get_closest_marker(name) for name in lacking)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


NEEDS = {"gpu": "these need a GPU (nox -s tests -- -m gpu)", "nvcc": "these need nvcc (`doctor` says how to get it)"}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    deselected = terminalreporter.stats.get("deselected", [])
    for marker, what in NEEDS.items():
        left = [item.nodeid for item in deselected if item.get_closest_marker(marker)]
        if left and (marker == "gpu" or build.find_gpu_compiler() is None):
            terminalreporter.section(f"not run here: {what}")
            for name in left:
                terminalreporter.line(f"  {name}")


@pytest.fixture(autouse=True)
def without_nvcc(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are the same on every machine: nvcc is asked only by the tests of what it says."""
    if not request.node.get_closest_marker("nvcc"):
        monkeypatch.setattr(server, "find_gpu_compiler", lambda: None)


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Warm workers for the whole session: a server runs no student code, so it can be shared."""
    with Workers() as found:
        yield found
