"""One verdict as it is kept: the report of one file, and the receipt of what it was made with."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel, ConfigDict

from grader.report import Device, Environment, ExerciseReport
from grader.status import Status

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Conditions(_Model):
    """All that a verdict depends on, but the file: equal conditions and bytes give equal verdicts, times aside."""

    exercise: str
    tests: str  # digest of the exercise's folder without the stub: yaml, tests, reference
    grader: str  # digest of the grader's and `shared`'s source
    environment: Environment
    compilers: str  # versions of g++ and nvcc, where the exercise needs one
    device: Device
    seed: int

    @property
    def key(self) -> str:
        """16 hexadecimal digits: the name under which these conditions are kept."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


class Result(_Model):
    """What `results/EXERCISE/CONTENT-CONDITIONS.json` holds."""

    schema_version: int = SCHEMA_VERSION
    exercise: str
    content: str  # digest of the file that was graded
    conditions: str  # key of the conditions
    attempts: int = 1
    report: ExerciseReport

    @property
    def is_ours(self) -> bool:
        """Whether the grader failed: then it has to be tried again, and nothing is booked."""
        return self.report.status is Status.GRADER_ERROR

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return f"{self.content}-{self.conditions}.json"
