"""The sessions. Each is one line around `python -m …`; arguments after `--` go there unchanged.

All of them share one environment, `.nox/environment`, which is installed once and again when a pin changes. With
`nox --no-venv` they use the `python` on PATH and install nothing.
"""

import hashlib
import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.sessions = ["grade"]
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
PINS = ("constraints.txt", "pyproject.toml")
python = shutil.which("python") or "python3"  # with --no-venv; `environment` sets its own otherwise


@nox.session(default=False)
def environment(session: nox.Session) -> None:
    """Install the packages that all sessions share, unless they are there with these pins."""
    global python
    if not session.virtualenv.is_sandboxed:
        return
    python = str(Path(session.virtualenv.bin) / ("python.exe" if os.name == "nt" else "python"))
    stamp = Path(session.virtualenv.location) / "pins"
    pins = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in PINS)).hexdigest()
    if not stamp.exists() or stamp.read_text() != pins:
        session.install("--constraint", "constraints.txt", "--editable", ".[dev]", silent=False)
        stamp.write_text(pins)


def run(session: nox.Session, *module: str) -> None:
    """`python -m MODULE …` in the shared environment; Ctrl-C gets time to end the workers."""
    command = (python, "-m", *module, *session.posargs)
    session.run(*command, external=True, interrupt_timeout=10, terminate_timeout=5)


@nox.session(venv_backend="none", requires=["environment"])
def grade(session: nox.Session) -> None:
    """Grade the exercises: `nox -s grade -- [EXERCISE…] [--from DIR] [--device cuda] …`."""
    run(session, "grader", "grade")


@nox.session(venv_backend="none", requires=["environment"])
def batch(session: nox.Session) -> None:
    """Grade a class: `nox -s batch -- SUBMISSIONS --out DIR …` (staff)."""
    run(session, "grader", "batch")


@nox.session(venv_backend="none", requires=["environment"])
def check(session: nox.Session) -> None:
    """Hold the content to its laws."""
    run(session, "grader", "check")


@nox.session(venv_backend="none", requires=["environment"])
def calibrate(session: nox.Session) -> None:
    """Are the marks for speed steady on this machine's GPU (staff)?"""
    run(session, "grader", "calibrate")


@nox.session(venv_backend="none", requires=["environment"])
def bench(session: nox.Session) -> None:
    """Do the solutions reach what they must on this machine's GPU (staff)?"""
    run(session, "grader", "bench")


@nox.session(venv_backend="none", requires=["environment"])
def tests(session: nox.Session) -> None:
    """Test the grader itself (on a GPU: `nox -s tests -- -m gpu`)."""
    run(session, "pytest")


@nox.session(venv_backend="none", requires=["environment"])
def exploits(session: nox.Session) -> None:
    """Print what each exploit gets: `nox -s exploits -- [--device cuda] [--level uid] [NAME…]`."""
    run(session, "tests.exploits")


@nox.session(venv_backend="none", requires=["environment"])
def benchmark(session: nox.Session) -> None:
    """Measure what the documentation quotes: `nox -s benchmark -- grading`."""
    name, *rest = session.posargs or ["grading"]
    session.run(python, "-m", f"tests.benchmarks.{name}", *rest, external=True)


@nox.session(venv_backend="none", requires=["environment"])
def lint(session: nox.Session) -> None:
    """Check style and format."""
    run(session, "ruff", "check", ".")
    run(session, "ruff", "format", "--check", ".")


@nox.session(venv_backend="none", requires=["environment"])
def types(session: nox.Session) -> None:
    """Check types."""
    run(session, "mypy")
