"""The two errors that end a command; everything a submission does is a `Failure` (grader/records.py) instead."""

from __future__ import annotations


class UsageError(Exception):
    """Bad input of the person who runs the grader: exit code 2, said in a line, never a traceback."""


class GraderError(Exception):
    """Our fault or the machine's, never the student's: exit code 3, no points are booked."""
