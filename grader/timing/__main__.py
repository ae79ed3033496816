"""Time one submission in a process of its own: `python -m grader.timing`, a job as JSON in, results as JSON out."""

from __future__ import annotations

import json
import sys

from grader.timing.measurement import Job
from grader.timing.process import run


def main() -> None:
    """Read a job from standard input, write its results to standard output."""
    job = Job.model_validate_json(sys.stdin.read())
    for result in run(job):
        print(json.dumps(result.model_dump(mode="json")), flush=True)


if __name__ == "__main__":
    main()
