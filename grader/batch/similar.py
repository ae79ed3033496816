"""Which files look more alike than the class's files do: a list for people to read, never a verdict on anybody.

copydetect tokenises the files (names, comments and spacing make no difference) and fingerprints them; what the stub and
the solution have is taken away, since right answers resemble them. The score of two files is the share of the smaller
one's fingerprints that the other one has, too. Short exercises make honest files alike, so no fixed score means
anything: only pairs far outside of the class's own scores are listed.

Every fingerprint is kept (no window is thinned out): the thinning goes by hashes that differ from run to run.
"""

from __future__ import annotations

import io
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from grader.errors import UsageError

TOKENS = 25
"""Characters of tokenised code in one fingerprint: two lines or so."""
LEAST_OWN = 60
"""Fingerprints that a file has to have beside the stub's and the solution's; with fewer, nothing can be said."""
LEAST_FILES = 8
"""Different files of one exercise; with fewer there is no class to compare with."""
MAX_BYTES = 100_000
"""Larger files are not compared; a solution has a few thousand."""
FLOOR = 0.5
"""No pair below is listed, whatever the others have."""
DEVIATIONS = 3.5
"""Of the class's scores, robust ones: beyond, a score is an outlier."""
_NORMAL = 1.4826
"""A normal distribution's standard deviation in median absolute deviations."""


@dataclass(frozen=True)
class Handed:
    """What one submission has for the exercise."""

    entry: str
    people: frozenset[str]
    data: bytes


@dataclass(frozen=True)
class Pair:
    """Two files that are more alike than others; each may belong to several submissions with the same bytes."""

    score: float  # 0 to 1
    first: tuple[str, ...]
    second: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]  # of the first file, from and to, that the second one has, too
    other_lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Similar:
    """One exercise."""

    exercise: str
    files: int  # different ones that were compared
    pairs: int
    median: float  # of the pairs' scores
    spread: float  # robust standard deviation
    threshold: float  # a listed pair has at least this score
    outliers: tuple[Pair, ...]  # the most alike first
    same: tuple[tuple[str, ...], ...]  # submissions with the same bytes
    as_staff: tuple[tuple[str, str], ...]  # (submission, which of the staff's files it equals)
    not_compared: tuple[tuple[str, str], ...]  # (submission, why)


def similar(exercise: str, file: str, handed: Sequence[Handed], staff: Sequence[tuple[str, bytes]]) -> Similar:
    """Compare; `file` is the exercise's file name, `staff` has the stub and the solution, each with its name.

    Raises UsageError where copydetect is not installed.
    """
    detect = _copydetect()
    known = {data: name for name, data in staff}
    contents: dict[bytes, list[Handed]] = {}
    for one in handed:
        contents.setdefault(one.data, []).append(one)
    common = frozenset().union(*(_fingerprint(detect, file, data).hashes for _, data in staff))
    own, left = _prepared(detect, file, {d: who for d, who in contents.items() if d not in known}, common)
    scores = [
        (_score(own[a], own[b]), a, b) for a, b in combinations(own, 2) if _are_strangers(contents[a], contents[b])
    ]
    median, spread = _usual([score for score, _, _ in scores])
    threshold = max(FLOOR, median + DEVIATIONS * spread)
    listed = [found for found in scores if found[0] >= threshold and found[0] > median and len(own) >= LEAST_FILES]
    return Similar(
        exercise=exercise,
        files=len(own),
        pairs=len(scores),
        median=median,
        spread=spread,
        threshold=threshold,
        outliers=tuple(_pair(detect, score, own, a, b, contents) for score, a, b in sorted(listed, key=_most_alike)),
        same=tuple(_same(who for data, who in contents.items() if data not in known)),
        as_staff=tuple((one.entry, known[data]) for data, who in contents.items() if data in known for one in who),
        not_compared=tuple(left),
    )


def _copydetect() -> Any:
    try:
        import copydetect
    except ImportError:
        raise UsageError(
            "comparing files needs the package copydetect, which is not installed; "
            "get it with: python -m pip install --constraint constraints.txt '.[similarity]'"
        ) from None
    return copydetect


def _fingerprint(detect: Any, file: str, data: bytes) -> Any:
    text = io.StringIO(data.decode("utf-8", errors="replace"))
    return detect.CodeFingerprint(file, TOKENS, 1, fp=text)


def _prepared(
    detect: Any, file: str, contents: dict[bytes, list[Handed]], common: frozenset[int]
) -> tuple[dict[bytes, Any], list[tuple[str, str]]]:
    """Fingerprints of each content that can be compared; (submission, why) of the others."""
    own, left = {}, []
    for data, who in contents.items():
        if len(data) > MAX_BYTES:
            left += [(one.entry, f"{len(data):,} bytes; at most {MAX_BYTES:,} are compared") for one in who]
            continue
        made = _fingerprint(detect, file, data)
        made.hashes = made.hashes - common  # not by the library: it takes what stands twice in a file for boilerplate
        made.hash_idx = {value: places for value, places in made.hash_idx.items() if value not in common}
        if len(made.hashes) < LEAST_OWN:
            left += [(one.entry, "too little that neither stub nor solution has") for one in who]
            continue
        own[data] = made
    return own, left


def _score(first: Any, second: Any) -> float:
    return len(first.hashes & second.hashes) / min(len(first.hashes), len(second.hashes))


def _are_strangers(first: Sequence[Handed], second: Sequence[Handed]) -> bool:
    """Whether some of them are of different people: nobody is compared with themselves."""
    return any(not (a.people & b.people) for a, b in product(first, second))


def _usual(scores: Sequence[float]) -> tuple[float, float]:
    """Median and robust standard deviation."""
    if not scores:
        return 0.0, 0.0
    median = statistics.median(scores)
    return median, _NORMAL * statistics.median(abs(score - median) for score in scores)


def _most_alike(found: tuple[float, bytes, bytes]) -> float:
    return -found[0]


def _pair(
    detect: Any, score: float, own: dict[bytes, Any], a: bytes, b: bytes, contents: dict[bytes, list[Handed]]
) -> Pair:
    first, second = own[a], own[b]
    _, _, slices = detect.compare_files(first, second)
    here, there = (tuple(one.entry for one in contents[data]) for data in (a, b))
    return Pair(score, here, there, _lines(first.raw_code, slices[0]), _lines(second.raw_code, slices[1]))


def _lines(code: str, slices: Any) -> tuple[tuple[int, int], ...]:
    """Line numbers of pieces of the text, joined where they touch."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(zip(*slices, strict=True)):
        first, last = (code.count("\n", 0, int(place)) + 1 for place in (start, max(start, end - 1)))
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


def _same(groups: Iterable[Sequence[Handed]]) -> Iterator[tuple[str, ...]]:
    for who in groups:
        if any(not (a.people & b.people) for a, b in combinations(who, 2)):
            yield tuple(one.entry for one in who)
