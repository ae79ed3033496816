"""Fixtures of the grader's own tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.boundary.workers import Workers

HERE = Path(__file__).parent
CONTENT = HERE / "content"
ROOT = HERE.parent


os.environ.setdefault("KERNEL_GRADER_SANDBOX", "none")
"""Reports do not depend on what this host gives; `tests/sandbox` starts every level by itself."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the reports of tests/golden anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need a GPU run only when asked for; otherwise they are deselected, and so not counted as passed."""
    if config.option.markexpr:
        return
    gpu = [item for item in items if item.get_closest_marker("gpu")]
    if gpu:
        config.hook.pytest_deselected(items=gpu)
        items[:] = [item for item in items if item not in gpu]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    left = [item.nodeid for item in terminalreporter.stats.get("deselected", []) if item.get_closest_marker("gpu")]
    if left:
        terminalreporter.section("not run here: these need a GPU (nox -s tests -- -m gpu)")
        for name in left:
            terminalreporter.line(f"  {name}")


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Warm workers for the whole session: a server runs no student code, so it can be shared."""
    with Workers() as found:
        yield found
