"""Failures of the same kind: what many submissions have in common, with the numbers and names of each left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.report import CaseReport, ExerciseReport
from grader.status import Status

FINE = frozenset({Status.PASSED, Status.NOT_MEASURED})
"""Statuses that say nothing against a submission."""
BLOCKED = frozenset({Status.NOT_RUN, Status.GRADER_ERROR})
"""Statuses that another case's failure, or ours, has caused."""
MAX_PATTERN = 400
"""Characters of a pattern: what differs only behind them is alike."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_NUMBER = re.compile(r"(?<![A-Za-z_0-9.])[+−-]?(?:\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+−-]?\d+)?|nan|inf)(?![A-Za-z_])")
_UNIT = re.compile(
    r"(?<![A-Za-z_0-9.])[+−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+−-]?\d+)?(?=(?:ms|us|µs|ns|s|GB|MB|KB|[kMG]iB|x|×)\b)"
)


@dataclass(frozen=True)
class Cluster:
    """Failures of one case that say the same."""

    exercise: str
    case: str
    status: Status
    example: CaseReport  # of the first who has it
    who: tuple[str, ...]  # ids of persons


def pattern(text: str) -> str:
    """The text without its numbers and addresses, on one line; names with digits in them, such as float32, stay."""
    plain = _ADDRESS.sub("#", text[: 4 * MAX_PATTERN])
    plain = _NUMBER.sub("#", _UNIT.sub("#", plain))
    return " ".join(plain.split())[:MAX_PATTERN]


def said(case: CaseReport) -> str:
    """The pattern of all that a case says: its message and its diagnosis."""
    return pattern(f"{case.message} · {case.diagnosis}" if case.diagnosis else case.message)


def clusters(exercise: str, reports: Iterable[tuple[str, ExerciseReport]]) -> list[Cluster]:
    """Of (person's id, report): groups of the same failure, the largest first.

    Cases that could not run because another one failed are left out: their cause is a cluster of its own.
    """
    found: dict[tuple[str, Status, str], list[tuple[str, CaseReport]]] = {}
    for person, report in reports:
        for case in report.cases:
            if case.status not in FINE | BLOCKED:
                found.setdefault((case.name, case.status, said(case)), []).append((person, case))
    made = [_cluster(exercise, name, status, cases) for (name, status, _), cases in found.items()]
    return sorted(made, key=lambda cluster: (-len(cluster.who), cluster.case, cluster.status.value))


def _cluster(exercise: str, name: str, status: Status, cases: Sequence[tuple[str, CaseReport]]) -> Cluster:
    return Cluster(exercise, name, status, cases[0][1], tuple(person for person, _ in cases))
