"""The late policy: a small yaml, and a pure function of when something was handed in.

deadline: 2026-10-01 23:59          # with a time zone here (+02:00) or below
time_zone: Europe/Berlin
grace_minutes: 15                   # forgiven without a word; days are counted from its end
per_day: 0.1                        # what each started day takes, as a share of the points
cap: 0.5                            # the most that lateness takes
max_days: 5                         # later than that: no points
extensions:                         # per person, by the id of the mapping: days, or another deadline
  "4711": 2
  ada@example.org: 2026-10-08 23:59
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from grader.errors import UsageError

Share = Annotated[float, Field(ge=0, le=1)]
_DAY = timedelta(days=1)
_LONGEST_EXTENSION = 366  # days; more is a slip of the pen


class Policy(BaseModel):
    """When the deadline was, and what each day after it costs."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    deadline: datetime
    time_zone: str = ""  # of every time in the file that names none itself
    grace_minutes: Annotated[float, Field(ge=0)] = 0.0
    per_day: Share = 0.0
    cap: Share = 1.0
    max_days: Annotated[int, Field(ge=0)] | None = None
    extensions: dict[str, datetime] = {}  # days are added to the deadline when the file is read

    @model_validator(mode="before")
    @classmethod
    def _read_times(cls, data: Any) -> Any:
        """Times with their zone; extensions in days become deadlines."""
        if not isinstance(data, dict) or "deadline" not in data:
            return data
        zone = _zone(data.get("time_zone") or "")
        deadline = _time("deadline", data["deadline"], zone)
        given = data.get("extensions") or {}
        if not isinstance(given, dict):
            raise ValueError(f"extensions: expected a person's id and days or a time on each line, found {given!r}")
        extended = {str(person): _extended(str(person), value, deadline, zone) for person, value in given.items()}
        return {**data, "deadline": deadline, "extensions": extended}

    @field_validator("grace_minutes", "per_day", "cap", mode="before")
    @classmethod
    def _is_a_number(cls, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("expected a number")
        return value

    def for_person(self, person: str) -> Policy:
        """The policy with this person's own deadline; an extension never shortens the time."""
        own = self.extensions.get(person)
        return self if own is None else self.model_copy(update={"deadline": max(own, self.deadline)})


def lateness(submitted_at: datetime | None, is_late: bool | None, policy: Policy | None) -> tuple[int, float]:
    """Days late, and the share of the points that is left.

    Days are days of the wall clock at the deadline's place. Where only the LMS's mark is known it is one day: the
    least that the mark can mean.
    """
    if policy is None:
        return 0, 1.0
    if submitted_at is None:
        return _after(1 if is_late else 0, policy)
    end = policy.deadline + timedelta(minutes=policy.grace_minutes)
    if submitted_at <= end:
        return 0, 1.0
    beyond = submitted_at.astimezone(end.tzinfo).replace(tzinfo=None) - end.replace(tzinfo=None)
    return _after(max(1, math.ceil(beyond / _DAY)), policy)


def _after(days: int, policy: Policy) -> tuple[int, float]:
    if policy.max_days is not None and days > policy.max_days:
        return days, 0.0
    return days, round(1.0 - min(policy.cap, policy.per_day * days), 6)


def load_policy(file: Path) -> Policy:
    """Read the yaml; raises UsageError with the file and every field that is wrong."""
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}; expected the late policy") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{file}: not readable as yaml: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise UsageError(f"{file}: expected fields, one of them `deadline`, found {data!r}")
    try:
        return Policy.model_validate(data)
    except ValidationError as error:
        raise UsageError("\n".join(f"{file}: {line}" for line in _explained(error))) from None


def _explained(error: ValidationError) -> Iterator[str]:
    for problem in error.errors():
        field = ".".join(str(part) for part in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "missing":
            message = "this field is missing"
        elif problem["type"] == "extra_forbidden":
            message = f"unknown field; known here: {', '.join(Policy.model_fields)}"
        elif field:
            message += f", found {problem['input']!r}"
        yield f"{field}: {message}" if field else message


def _zone(name: object) -> tzinfo | None:
    if not name:
        return None
    try:
        return ZoneInfo(str(name))
    except (ValueError, OSError, KeyError):  # no such name, or a name that is a path
        raise ValueError(f"time_zone: no time zone is called {name!r}; expected a name such as Europe/Berlin") from None


def _time(field: str, value: object, zone: tzinfo | None) -> datetime:
    """The time with its zone; in the hour that comes twice in autumn, the later one."""
    if not isinstance(value, str | datetime):
        raise ValueError(f"{field}: expected a time with hours and minutes, such as 2026-10-01 23:59, found {value!s}")
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(f"{field}: expected a time such as 2026-10-01 23:59, found {value!r}") from None
    if isinstance(value, str) and ":" not in value:
        raise ValueError(f"{field}: expected a time with hours and minutes, such as 2026-10-01 23:59, found {value}")
    if found.tzinfo is None and zone is None:
        raise ValueError(f"{field}: {value} has no time zone; write it as {value}+02:00, or add `time_zone:`")
    return found if found.tzinfo else found.replace(tzinfo=zone, fold=1)


def _extended(person: str, value: object, deadline: datetime, zone: tzinfo | None) -> datetime:
    field = f"extensions.{person}"
    if isinstance(value, bool) or value is None:
        raise ValueError(f"{field}: expected a number of days or a time, found {value!r}")
    if not isinstance(value, int):
        return _time(field, value, zone)
    if not 0 <= value <= _LONGEST_EXTENSION:
        raise ValueError(f"{field}: expected 0 to {_LONGEST_EXTENSION} days, found {value}")
    return deadline + value * _DAY
