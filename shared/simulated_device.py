"""A simulated GPU with its host: one clock, one stream, and work of known duration.

It makes the asynchrony of a GPU deterministic: launching returns at once, the work ends later on the stream, and only a
synchronisation makes the host wait. Code that measures it wrongly reads wrong numbers, always the same ones.

All times inside are microseconds of simulated host time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

LAUNCH_US = 8.0
SYNCHRONISE_US = 4.0
READ_CLOCK_US = 0.1


class SimulatedDevice:
    """The clock and the stream; `replacements()` puts them in the place of torch's and Python's."""

    def __init__(self, epoch_s: float = 1_000_000.0) -> None:
        """An idle device; `epoch_s` is what the clock shows at the start."""
        self._epoch_us = epoch_s * 1e6
        self.host_us = 0.0
        self.stream_us = 0.0  # when the work that was launched so far will have ended
        self.runs = 0  # calls of the workload
        self.log: list[str] = []  # run, synchronise, clock: in the order of the calls

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
            self.log.append("run")

        return run

    def synchronize(self, device: Any = None) -> None:
        """Wait until the stream has no work left."""
        self.wait_until(self.stream_us)

    def wait_until(self, moment_us: float) -> None:
        """Make the host wait for a moment on the stream."""
        self.host_us = max(self.host_us, moment_us) + SYNCHRONISE_US
        self.log.append("synchronise")

    def seconds(self) -> float:
        """Read the clock."""
        self.host_us += READ_CLOCK_US
        self.log.append("clock")
        return (self._epoch_us + self.host_us) / 1e6

    def nanoseconds(self) -> int:
        """Read the clock, as a whole number."""
        return round(self.seconds() * 1e9)

    def sleep(self, seconds: float) -> None:
        """Let the host do nothing for a while."""
        self.host_us += seconds * 1e6

    def replacements(self) -> dict[str, Any]:
        """What stands in for the functions and classes that a benchmark may use, by dotted name."""
        event, stream = _event_class(self), _stream_class(self)
        here = stream()
        return {
            "torch.cuda.Event": event,
            "torch.cuda.Stream": stream,
            "torch.cuda.synchronize": self.synchronize,
            "torch.cuda.is_available": lambda: True,
            "torch.cuda.device_count": lambda: 1,
            "torch.cuda.current_device": lambda: 0,
            "torch.cuda.current_stream": lambda device=None: here,
            "torch.cuda.default_stream": lambda device=None: here,
            "time.time": self.seconds,
            "time.perf_counter": self.seconds,
            "time.monotonic": self.seconds,
            "time.process_time": self.seconds,
            "time.time_ns": self.nanoseconds,
            "time.perf_counter_ns": self.nanoseconds,
            "time.monotonic_ns": self.nanoseconds,
            "time.sleep": self.sleep,
            "timeit.default_timer": self.seconds,
        }


def _event_class(device: SimulatedDevice) -> type:
    class Event:
        """As `torch.cuda.Event`: a mark on the stream."""

        def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
            self._timing = enable_timing
            self._moment_us: float | None = None

        def record(self, stream: Any = None) -> None:
            self._moment_us = max(device.stream_us, device.host_us)

        def query(self) -> bool:
            return self._moment_us is None or self._moment_us <= device.host_us

        def synchronize(self) -> None:
            device.wait_until(self._moment_us or 0.0)

        def wait(self, stream: Any = None) -> None:
            """One stream: it waits for itself."""

        def elapsed_time(self, end_event: Any) -> float:
            """Milliseconds from this mark to the other one."""
            start, end = self._moment_us, end_event._moment_us
            if start is None or end is None:
                raise RuntimeError("Both events must be recorded before calculating elapsed time.")
            if not (self._timing and end_event._timing):
                raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
            if max(start, end) > device.host_us:
                raise RuntimeError("CUDA error: device not ready (synchronize before elapsed_time)")
            return float(end - start) / 1e3

    return Event


def _stream_class(device: SimulatedDevice) -> type:
    class Stream:
        """As `torch.cuda.Stream`; there is only one."""

        def __init__(self, device: Any = None, priority: int = 0) -> None:
            pass

        def synchronize(self) -> None:
            device.synchronize()

        def query(self) -> bool:
            return device.stream_us <= device.host_us

        def record_event(self, event: Any = None) -> Any:
            if event is not None:
                event.record()
            return event

    return Stream
