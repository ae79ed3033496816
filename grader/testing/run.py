"""pytest as the test language: fixtures, markers, and the evidence of each setting.

An exercise's tests run here, in the grader's own process. What a test raises decides: a `Failure` is the
submission's; any other exception, a bare AssertionError too, is a fault of the test or of the grader
(`grader_error`).

Fixtures: `submission`, `make`, `expect`, `expect_error`, `device`, `reference`.
Markers:  `points(n)`, `visibility(level)`, `needs(device=…, gpu_gb=…, host_gb=…)`, `call_limit(seconds)`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader import rules
from grader.boundary.host import Host
from grader.boundary.proxy import SubmissionProxy
from grader.errors import GraderError, UsageError
from grader.exercise import Exercise
from grader.records import PASSED, Failure, Finding, Setting, Visibility
from grader.status import Status
from grader.testing.expect import Expect, Observer, expect_error
from grader.testing.inputs import Make
from shared import machine

MARKERS = (
    "points(n): what the test function is worth, all or nothing over its parameters",
    "visibility(level): full, pattern or none; what a student sees of a failure",
    "needs(device, gpu_gb, host_gb): where it can run; elsewhere it is not measured",
    "call_limit(seconds): more time for one call than exercise.yaml gives",
)

_OPTIONS = (
    "--import-mode=importlib",
    "--noconftest",
    "--strict-markers",
    "--assert=plain",
    *(
        part
        for plugin in (
            "cacheprovider",
            "terminal",
            "capture",
            "warnings",
            "faulthandler",
            "unraisableexception",
            "threadexception",
            "logging",
        )
        for part in ("-p", f"no:{plugin}")
    ),
)


@dataclass(frozen=True)
class Options:
    """How to run the tests of one exercise."""

    seed: int
    preset: Finding | None = None  # known before: nothing runs, every setting gets it
    only: str = ""  # the name of one setting or test; everything without
    observer: Observer | None = None
    progress: Callable[[str], None] = lambda name: None


def run_tests(exercise: Exercise, host: Host, options: Options) -> list[Setting]:
    """The evidence of every setting, in the order of the files; raises GraderError, KeyboardInterrupt."""
    recorder = _Recorder(exercise, host, options)
    arguments = [*_OPTIONS, f"--rootdir={exercise.folder}", "-c", os.devnull]
    with _isolated(exercise.folder):
        code = pytest.main([*arguments, *map(str, exercise.tests)], plugins=[recorder])
    if code == pytest.ExitCode.INTERRUPTED and not recorder.problems:
        raise KeyboardInterrupt
    if options.only and recorder.known and not recorder.settings:
        raise UsageError(f"no case {options.only!r}; there are: {', '.join(recorder.known)}")
    if recorder.problems or not recorder.settings:
        reason = "\n".join(recorder.problems) or f"pytest ended with {code!r}: no test was collected"
        raise GraderError(f"the tests of {exercise.name} cannot be run:\n{reason}")
    return recorder.settings


@contextmanager
def _isolated(folder: Path) -> Iterator[None]:
    """No plugin, option or module of another run takes part."""
    names = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    kept_autoload = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
        os.environ.update(kept)
        if kept_autoload is None:
            del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        else:
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = kept_autoload


class _Recorder:
    """The plugin: gives fixtures, and records one Setting for each item."""

    def __init__(self, exercise: Exercise, host: Host, options: Options) -> None:
        self.settings: list[Setting] = []
        self.problems: list[str] = []
        self.known: list[str] = []  # every setting's name, when only some were asked for
        self._exercise = exercise
        self._host = host
        self._options = options
        self._reference: ModuleType | None = None
        self._decoys_sought: set[str] = set()
        self._finding, self._output, self._seconds = PASSED, "", 0.0

    # -- collection

    def pytest_configure(self, config: pytest.Config) -> None:
        for marker in MARKERS:
            config.addinivalue_line("markers", marker)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(str(report.longrepr))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._options.only:
            self.known = [item.name for item in items]
            items[:] = [i for i in items if self._options.only in (i.name, _test_name(i))]

    # -- one item

    def pytest_runtest_logstart(self) -> None:
        """A new setting: nothing is known of it."""
        self._finding, self._output, self._seconds = PASSED, "", 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A setting that need not run fails here with the reason, before any fixture is made."""
        self._options.progress(item.name)
        finding = self._options.preset or _unmet_need(item, self._host.target) or self._host.blocked()
        if finding is not None:
            raise Failure(finding)

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None and self._finding is PASSED:
            self._finding = _finding_of(call.excinfo.value, item)
        if call.when == "call":
            self._seconds = call.duration
        if call.when == "teardown":
            self._record(item)

    def _record(self, item: pytest.Item) -> None:
        hidden = "hidden" in item.path.parts[len(self._exercise.folder.parts) :]
        marker = item.get_closest_marker("visibility")
        default = Visibility.PATTERN if hidden else Visibility.FULL
        points = item.get_closest_marker("points")
        setting = Setting(
            test=_test_name(item),
            name=item.name,
            title=_title(item),
            points=int(points.args[0]) if points else 0,
            visibility=Visibility(marker.args[0]) if marker else default,
            hidden=hidden,
            finding=self._finding,
            output=self._output,
            seconds=self._seconds,
        )
        self.settings.append(setting)

    # -- fixtures

    @pytest.fixture
    def reference(self) -> ModuleType:
        """The exercise's reference.py."""
        if self._reference is None:
            self._reference = load_reference(self._exercise)
        return self._reference

    @pytest.fixture
    def device(self, request: pytest.FixtureRequest) -> str:
        """`cpu` or `cuda`: where the submission runs."""
        need = request.node.get_closest_marker("needs")
        return str(need.kwargs["device"]) if need and "device" in need.kwargs else self._host.device

    @pytest.fixture
    def submission(self, request: pytest.FixtureRequest, device: str) -> Iterator[SubmissionProxy]:
        """The student's functions, in a worker of their own."""
        limit = request.node.get_closest_marker("call_limit")
        proxy = SubmissionProxy(self._host, device, limit.args[0] if limit else None)
        try:
            yield proxy
        finally:
            self._output = proxy.take_output()
            if self._finding is PASSED:
                self._finding = self._broken_rule(proxy, _test_name(request.node)) or PASSED
            proxy.close()

    def _broken_rule(self, proxy: SubmissionProxy, test: str) -> Finding | None:
        """For right values: whether they come from a kernel, where that is asked for; a decoy is sought once a test."""
        exercise = self._exercise
        found = rules.broken(exercise, proxy.called, self._host.text)
        if found is None and proxy.may_be_decoy and test not in self._decoys_sought:
            self._decoys_sought.add(test)
            return rules.decoy() if proxy.is_decoy() else None
        return found

    @pytest.fixture
    def make(self, request: pytest.FixtureRequest) -> Make:
        """Seeded inputs."""
        return Make(self._options.seed, self._exercise.name, request.node.name)

    @pytest.fixture
    def expect(self, request: pytest.FixtureRequest, submission: SubmissionProxy) -> Expect:
        """The comparison."""
        observer = self._options.observer
        return Expect(submission, _test_name(request.node), observer)

    @pytest.fixture
    def expect_error(self) -> Callable[[Callable[[], Any], str], None]:
        """The comparison, where an exception is the right answer."""
        return expect_error


def _test_name(item: pytest.Item) -> str:
    return str(getattr(item, "originalname", None) or item.name)


def _title(item: pytest.Item) -> str:
    """The first line of the test's docstring: what the student reads."""
    text = getattr(getattr(item, "function", None), "__doc__", None) or ""
    return text.strip().split("\n")[0]


def _finding_of(error: BaseException, item: pytest.Item) -> Finding:
    if isinstance(error, Failure):
        return error.finding
    if isinstance(error, KeyboardInterrupt):
        raise error
    trace = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)[-3:]))
    return Finding(
        Status.GRADER_ERROR,
        f"the test {item.name} itself failed ({type(error).__name__}); this is not your fault",
        details=f"{error}\n{trace}",
    )


def _unmet_need(item: pytest.Item, device: str) -> Finding | None:
    """Why this machine cannot run the test, if it cannot."""
    marker = item.get_closest_marker("needs")
    if marker is None:
        return None
    need = marker.kwargs
    if need.get("device") == "cuda" and device != "cuda":
        return _not_measured("needs a GPU")
    if need.get("host_gb", 0) > machine.host_memory_gb():
        return _not_measured(f"needs {need['host_gb']} GB of memory")
    if need.get("gpu_gb", 0) > machine.cuda_memory_gb():
        return _not_measured(f"needs {need['gpu_gb']} GB of GPU memory")
    return None


def _not_measured(reason: str) -> Finding:
    return Finding(Status.NOT_MEASURED, reason)


def load_reference(exercise: Exercise) -> ModuleType:
    """Import the exercise's reference.py, which is ours."""
    path = exercise.folder / "reference.py"
    spec = importlib.util.spec_from_file_location(f"reference_of_{exercise.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
