"""A simulated GPU with its host: one clock, one stream, and work of known duration.

It makes the asynchrony of a GPU deterministic: launching returns at once, the work ends later on the stream, and only a
synchronisation makes the host wait. Code that measures it wrongly reads wrong numbers, always the same ones.

All times inside are microseconds of simulated host time.
"""

from __future__ import annotations

import math
import timeit
from collections.abc import Callable, Sequence
from typing import Any

import torch

LAUNCH_US = 8.0
SYNCHRONISE_US = 4.0
READ_CLOCK_US = 0.1
QUERY_US = 1.0
LONGEST_QUERY_US = 1000.0
LONGEST_SLEEP_S = 2**63 / 1e9


class SimulatedDevice:
    """The clock and the stream; `replacements()` puts them in the place of torch's and Python's."""

    def __init__(self, epoch_s: float = 1_000_000.0) -> None:
        """An idle device; `epoch_s` is what the clock shows at the start."""
        self._epoch_us = epoch_s * 1e6
        self.host_us = 0.0
        self.stream_us = 0.0  # when the work that was launched so far will have ended
        self.runs = 0  # calls of the workload
        self.log: list[str] = []
        """In the order of the calls: `run`; `clock`, a reading; `mark`, an event recorded; `synchronise`, after which
        no work is left; `wait`, for a mark before the last work; `sleep`."""
        self._query_us = QUERY_US  # what the next question costs

    def busy_for(self, milliseconds: float) -> None:
        """Put other work on the stream, as a program that ran before would have."""
        self.stream_us = max(self.stream_us, self.host_us) + milliseconds * 1e3

    def workload(self, durations_ms: Sequence[float], first_call_ms: float = 0.0) -> Callable[[], None]:
        """A function whose n-th call takes the n-th duration on the stream (the last one for all later calls).

        The first call also costs the host `first_call_ms`: compiling, loading, allocating.
        """

        def run() -> None:
            position = min(self.runs, len(durations_ms) - 1)
            self.host_us += LAUNCH_US + (first_call_ms * 1e3 if self.runs == 0 else 0.0)
            self.busy_for(durations_ms[position])
            self.runs += 1
            self._query_us = QUERY_US
            self.log.append("run")

        return run

    def synchronize(self, device: Any = None) -> None:
        """Wait until the stream has no work left."""
        self.wait_until(self.stream_us)

    def wait_until(self, moment_us: float) -> None:
        """Make the host wait for a moment on the stream."""
        self.host_us = max(self.host_us, moment_us) + SYNCHRONISE_US
        self._waited()

    def mark(self) -> float:
        """The moment on the stream when all work launched so far will have ended."""
        self.log.append("mark")
        return max(self.stream_us, self.host_us)

    def is_over(self, moment_us: float) -> bool:
        """Ask whether a moment on the stream has come.

        A question takes time, and twice as much after each `False`, so that a loop of questions ends soon; never more
        than is left until that moment, so that it ends as exactly as waiting does.
        """
        left = moment_us - self.host_us
        if left > 0:
            self.host_us += min(self._query_us, left)
            self._query_us = min(2 * self._query_us, LONGEST_QUERY_US)
            return False
        self.host_us += QUERY_US
        self._query_us = QUERY_US
        self._waited()
        return True

    def _waited(self) -> None:
        self.log.append("synchronise" if self.stream_us <= self.host_us else "wait")

    def seconds(self) -> float:
        """Read the clock."""
        self.host_us += READ_CLOCK_US
        self.log.append("clock")
        return (self._epoch_us + self.host_us) / 1e6

    def nanoseconds(self) -> int:
        """Read the clock, as a whole number."""
        return round(self.seconds() * 1e9)

    def seconds_of(self, clk_id: int) -> float:
        """Read a clock by its number, as `time.clock_gettime`: all of them are this one."""
        _whole(clk_id)
        return self.seconds()

    def nanoseconds_of(self, clk_id: int) -> int:
        """The same as a whole number, as `time.clock_gettime_ns`."""
        _whole(clk_id)
        return self.nanoseconds()

    def sleep(self, seconds: float) -> None:
        """Let the host do nothing for a while; raises what `time.sleep` would."""
        if not isinstance(seconds, float):
            _whole(seconds)
        elif math.isnan(seconds):
            raise ValueError("Invalid value NaN (not a number)")
        if abs(seconds) >= LONGEST_SLEEP_S:
            raise OverflowError("timestamp too large to convert to C _PyTime_t")
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.host_us += seconds * 1e6
        self.log.append("sleep")

    def replacements(self) -> dict[str, Any]:
        """What stands in for the functions and classes that a benchmark may use, by dotted name."""
        return {**self._clocks(), **self._accelerator(), **self._cuda()}

    def _clocks(self) -> dict[str, Any]:
        seconds = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
        return {
            **{f"time.{name}": self.seconds for name in seconds},
            **{f"time.{name}_ns": self.nanoseconds for name in seconds},
            "time.clock_gettime": self.seconds_of,
            "time.clock_gettime_ns": self.nanoseconds_of,
            "time.sleep": self.sleep,
            "timeit.default_timer": self.seconds,
            "timeit.template": _timeit_template,  # text there; a function has room for a `format` of its own
            "timeit.template.format": _timeit_template,
        }

    def _cuda(self) -> dict[str, Any]:
        event = _event_class(self)
        stream = _stream_class(self, event)
        here = stream()
        functions: dict[str, Any] = {
            "Event": event,
            "Stream": stream,
            "synchronize": self.synchronize,
            "is_available": lambda: True,
            "is_initialized": lambda: True,
            "init": lambda: None,
            "device_count": lambda: 1,
            "current_device": lambda: 0,
            "set_device": lambda device: None,
            "get_device_name": lambda device=None: "simulated GPU",
            "get_device_capability": lambda device=None: (9, 0),
            "current_stream": lambda device=None: here,
            "default_stream": lambda device=None: here,
            "set_stream": lambda stream: None,
            "empty_cache": lambda: None,
            "reset_peak_memory_stats": lambda device=None: None,
            "memory_allocated": lambda device=None: 0,
            "max_memory_allocated": lambda device=None: 0,
        }
        for manager in ("StreamContext", "device"):  # `with torch.cuda.stream(s):`, `with torch.cuda.device(0):`
            functions[f"{manager}.__enter__"] = lambda manager: None
            functions[f"{manager}.__exit__"] = lambda manager, kind, value, traceback: None
        return {f"torch.cuda.{name}": value for name, value in functions.items()}

    def _accelerator(self) -> dict[str, Any]:
        if not hasattr(torch, "accelerator"):
            return {}
        return {
            "torch.accelerator.is_available": lambda: True,
            "torch.accelerator.device_count": lambda: 1,
            "torch.accelerator.synchronize": self.synchronize,
        }


_TIMEIT_TEMPLATE = timeit.template.replace(  # type: ignore[attr-defined]
    "    {setup}\n",
    """    import timeit as _timeit
    if _timer is _timeit.Timer.__init__.__defaults__[2]:
        _timer = _timeit.default_timer
    {setup}
""",
)


def _timeit_template(stmt: str = "", setup: str = "", init: str = "") -> str:
    """Source of the loop of `timeit`, with the default clock looked up when it runs.

    As written, `timeit.timeit` keeps the clock that was the default when `timeit` was imported, before any replacement.
    """
    return str(_TIMEIT_TEMPLATE.format(stmt=stmt, setup=setup, init=init))


def _whole(value: Any) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{_type_name(value)!r} object cannot be interpreted as an integer")


def _type_name(value: Any) -> str:
    """The name of a type; something of the student's that means nothing here brings its own (`found`)."""
    return str(getattr(value, "found", type(value).__name__))


def _event_class(device: SimulatedDevice) -> type:
    class Event:
        """As `torch.cuda.Event`: a mark on the stream."""

        def __init__(
            self,
            enable_timing: bool = False,
            blocking: bool = False,
            interprocess: bool = False,
            external: bool = False,
        ) -> None:
            self._timing = enable_timing
            self._moment_us: float | None = None

        def record(self, stream: Any = None) -> None:
            self._moment_us = device.mark()

        def query(self) -> bool:
            return device.is_over(self._moment_us or 0.0)

        def synchronize(self) -> None:
            device.wait_until(self._moment_us or 0.0)

        def wait(self, stream: Any = None) -> None:
            """One stream: it waits for itself."""

        def elapsed_time(self, end_event: Any) -> float:
            """Milliseconds from this mark to the other one."""
            if not isinstance(end_event, Event):
                raise TypeError(f"elapsed_time() takes a torch.cuda.Event, not {_type_name(end_event)}")
            start, end = self._moment_us, end_event._moment_us
            if start is None or end is None:
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
            if not (self._timing and end_event._timing):
                raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
            if max(start, end) > device.host_us:
                raise RuntimeError("CUDA error: device not ready (synchronize before elapsed_time)")
            return float(end - start) / 1e3

    return Event


def _stream_class(device: SimulatedDevice, event_class: type) -> type:
    class Stream:
        """As `torch.cuda.Stream`; there is only one."""

        def __init__(self, device: Any = None, priority: int = 0) -> None:
            pass

        def synchronize(self) -> None:
            device.synchronize()

        def query(self) -> bool:
            return device.is_over(device.stream_us)

        def record_event(self, event: Any = None) -> Any:
            mark = event_class() if event is None else event
            if not isinstance(mark, event_class):
                raise TypeError(f"record_event() takes a torch.cuda.Event, not {_type_name(mark)}")
            mark.record()  # type: ignore[attr-defined]
            return mark

        def wait_event(self, event: Any) -> None:
            """One stream: it waits for itself."""

        def wait_stream(self, stream: Any) -> None:
            """One stream: it waits for itself."""

    return Stream
