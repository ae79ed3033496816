"""The closed set of statuses, and the one order in which they outrank each other."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Status(str, Enum):
    """What the judge says of a case; the value is what stands in `report.json`."""

    GRADER_ERROR = "grader_error"  # our fault: a person is told, no points are booked
    FORBIDDEN = "forbidden"  # breaks a rule of the exercise, with evidence
    SUSPECT = "suspect"  # faster than the device can be: a person looks
    INVALID_SUBMISSION = "invalid_submission"  # no file, or not the functions asked for
    COMPILE_ERROR = "compile_error"  # the compiler (or Python's parser) refuses the file
    CRASHED = "crashed"  # the process ended, or was ended for using too much
    TIMEOUT = "timeout"  # no answer within the limit
    MEMORY_ERROR = "memory_error"  # an access outside of what a kernel was given
    RACE = "race"  # the result depends on the order of threads
    RUNTIME_ERROR = "runtime_error"  # raised an exception, or a launch failed
    WRONG_SHAPE = "wrong_shape"
    WRONG_DTYPE = "wrong_dtype"
    INCORRECT = "incorrect"  # wrong values, type or device, or a changed input
    INEFFICIENT = "inefficient"  # right, but moves more bytes than allowed
    TOO_SLOW = "too_slow"  # right, but below the share of the device asked for
    NOT_ATTEMPTED = "not_attempted"  # the stub, or only NotImplementedError
    NOT_RUN = "not_run"  # blocked by something else, which the message names
    PASSED = "passed"
    NOT_MEASURED = "not_measured"  # this copy or this device cannot judge it


PRECEDENCE: tuple[Status, ...] = tuple(Status)
"""Most telling first: an exercise's status is the first of its cases' statuses in this order."""


def first(statuses: Iterable[Status]) -> Status:
    """The status that outranks the others; `not_run` when there are none (absence is failure)."""
    return min(statuses, key=PRECEDENCE.index, default=Status.NOT_RUN)
