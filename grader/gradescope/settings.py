"""What the package carries beside the course: one small file in the course's folder, written when it is packed."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.errors import UsageError
from grader.export.gradescope import Visibility

FILE = "package.json"
LATE = "late.yaml"
"""The late policy in the course's folder, where there is one."""
BUDGET = "KERNEL_GRADER_BUDGET_S"
"""The environment variable that sets the seconds for everything."""
RESERVE_S = 30.0
"""Of the autograder's time limit: for the container's start, and for ending what is at work."""


class Settings(BaseModel):
    """The same for every submission, so that a regrade gives the same marks."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    seed: Annotated[int, Field(ge=0, lt=2**31)]  # of every input; unknown to students
    hidden: Visibility = "after_published"  # when students see hidden cases
    time_limit_min: Annotated[float, Field(ge=1, le=40)] = 10.0  # as set on Gradescope


def load(root: Path) -> Settings:
    """Read the file; raises UsageError where it is missing or wrong."""
    file = root / FILE
    try:
        return Settings.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise UsageError(
            f"{file} is missing: not an autograder's package; `python -m grader package` makes one"
        ) from None
    except (OSError, ValidationError) as error:
        said = " ".join(str(error).split())
        raise UsageError(
            f"{file}: not what `python -m grader package` wrote; make the package again ({said})"
        ) from None


def budget_s(settings: Settings) -> float:
    """Seconds of wall time for everything. Raises UsageError for a value in the environment that is none."""
    given = os.environ.get(BUDGET, "")
    if not given:
        return 60.0 * settings.time_limit_min - RESERVE_S
    try:
        found = float(given)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise UsageError(f"{BUDGET}={given!r}: expected seconds, such as 570")
    return found
