"""Time one submission in a process of its own: `python -m grader.timing EXERCISE_FOLDER LEVEL`.

The workers are started at once. A job comes as JSON on standard input when the GPU is free; results go out as JSON.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from grader.boundary.sandbox import Level
from grader.boundary.workers import Workers
from grader.loading import load
from grader.timing.measurement import Job
from grader.timing.process import run
from grader.worker import limits


def main() -> None:
    """Read a job from standard input, write its results to standard output."""
    limits.die_with_parent()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that the workers are ended
    exercise = load(Path(sys.argv[1]))
    with Workers(level=Level(sys.argv[2]), profiles=True) as workers:
        workers.prepare(exercise, "cuda", count=2)
        text = sys.stdin.read()
        if text:  # nothing comes when the submission is not to be timed
            for result in run(exercise, Job.model_validate_json(text), workers):
                print(json.dumps(result.model_dump(mode="json")), flush=True)


if __name__ == "__main__":
    main()
