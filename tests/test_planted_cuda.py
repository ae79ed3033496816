"""Planted bugs in `.cu` files are found with their kind and line; files that are right pass (`tests/planted`).

Each file is built and called in a process of its own: some of them end it, or never return.
"""

from __future__ import annotations

import json
import math
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shared.cuda import build, prototype
from tests.planted import header

ROOT = Path(__file__).parent.parent
PLANTED = Path(__file__).with_name("planted")
BUGS = {path.stem: path for path in sorted((PLANTED / "cuda").glob("*.cu"))}
RIGHT = {path.stem: path for path in sorted((PLANTED / "cuda_correct").glob("*.cu"))}
KINDS = {"memory", "race", "barrier", "warp", "timeout", "uninitialised", "unwritten", "arithmetic", "launch"}
WITHOUT_LINE = {"unwritten"}  # what nobody writes happens at no line
CALL_S = 5
NEAR = 1e-4

RUNNER = """
import dataclasses, json, sys
from pathlib import Path
from shared.cuda import prototype
from shared.cuda.library import CpuLibrary

library, declaration, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
device = CpuLibrary(library, [prototype.parse(declaration)])
x, out = device.allocate(4 * count, "x"), device.allocate(4 * count, "out")
device.write(x, sys.stdin.buffer.read())
code = device.call("run", (x, out, count))
fault = device.fault(sys.argv[4])
found = {
    "code": code,
    "fault": None if fault is None else {key: str(value) for key, value in dataclasses.asdict(fault).items()},
    "damage": device.overruns() + device.underruns(),
    "out": device.read(out, 4 * count).hex(),
}
print(json.dumps(found))
"""


def inputs(count: int) -> list[float]:
    """Values between -1 and 1, both signs in every few, no two neighbours alike."""
    return [round(math.sin(1 + 37 * i) * 0.999, 4) for i in range(count)]


def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def rows(x: Sequence[float], width: int = 100) -> Iterator[Sequence[float]]:
    return (x[start : start + width] for start in range(0, len(x), width))


def softmax(x: Sequence[float]) -> list[float]:
    return [math.exp(v) / sum(map(math.exp, row)) for row in rows(x) for v in row]


def layernorm(x: Sequence[float]) -> list[float]:
    found = []
    for row in rows(x):
        mean = sum(row) / len(row)
        variance = sum((v - mean) ** 2 for v in row) / len(row)
        found += [(v - mean) / math.sqrt(variance + 1e-5) for v in row]
    return found


def matmul(x: Sequence[float]) -> list[float]:
    m = math.isqrt(len(x))
    return [sum(x[i * m + k] * x[k * m + j] for k in range(m)) for i in range(m) for j in range(m)]


def transpose(x: Sequence[float]) -> list[float]:
    m = math.isqrt(len(x))
    return [x[j * m + i] for i in range(m) for j in range(m)]


def scan(x: Sequence[float]) -> list[float]:
    return [sum(x[: i + 1]) for i in range(len(x))]


def filtered(x: Sequence[float]) -> list[float]:
    padded = [0.0, 0.0, *x, 0.0, 0.0]
    return [sum(w * padded[i + k] for k, w in enumerate((0.1, 0.2, 0.4, 0.2, 0.1))) for i in range(len(x))]


def histogram(x: Sequence[float]) -> list[float]:
    bins = [int((v + 1) * 8) for v in x]
    return [float(bins.count(b)) for b in range(16)]


def doublings(x: Sequence[float]) -> list[float]:
    steps = math.ceil(math.log2(1000 / sum(map(abs, x))))
    return [float(steps)] * len(x)


def half(x: float) -> float:
    return float(struct.unpack("e", struct.pack("e", x))[0])


REFERENCES: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "copy": list,
    "gelu": lambda x: [gelu(v) for v in x],
    "gelu_half": lambda x: [gelu(half(v)) for v in x],
    "softmax": softmax,
    "layernorm": layernorm,
    "matmul": matmul,
    "transpose": transpose,
    "scan": scan,
    "filter": filtered,
    "histogram": histogram,
    "sum": lambda x: [sum(x)],
    "positive": lambda x: [float(sum(v > 0 for v in x))],
    "doublings": doublings,
}
"""By the name in a file's header; they may be shorter than `out`, whose rest is then nobody's business."""


def marked(path: Path) -> set[int]:
    texts = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    return {number for number, text in texts if text.endswith("// BUG")}


Outcome = Callable[[Path], dict[str, Any]]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What one call of a file did: built once, called once."""
    runtime = tmp_path_factory.mktemp("cuda-cache")
    build.prepare_cpu(runtime)

    @cache
    def found(path: Path) -> dict[str, Any]:
        head, folder = header(path), tmp_path_factory.mktemp(path.stem)
        prototypes = [prototype.parse(head["RUN"])]
        library = build.build_cpu(path.read_text("utf-8"), path.name, prototypes, folder, runtime, timeout_s=60)
        data = struct.pack(f"{head['N']}f", *inputs(int(head["N"])))
        command = [sys.executable, "-c", RUNNER, str(library), head["RUN"], head["N"], path.name]
        try:
            done = subprocess.run(command, input=data, capture_output=True, check=False, cwd=ROOT, timeout=CALL_S)
        except subprocess.TimeoutExpired:
            return {"kind": "timeout", "text": "", "lines": set()}
        if done.returncode != 0:
            return {"kind": "crashed", "text": done.stderr.decode(), "lines": set()}
        return judged(path, json.loads(done.stdout.decode().splitlines()[-1]))

    return found


def judged(path: Path, answer: dict[str, Any]) -> dict[str, Any]:
    """The kind of what was found, empty for nothing; what is told of it; the lines that this names; what was stored."""
    out = bytes.fromhex(answer["out"])
    words = [out[at : at + 4] for at in range(0, len(out), 4)]
    values = struct.unpack(f"{len(words)}f", out)
    fault = answer["fault"]
    if fault is not None:
        text = " ".join(fault.values())
        lines = {int(number) for number in re.findall(rf"{re.escape(path.name)}:(\d+)", text)}
        if fault.get("line", "").isdigit():
            lines.add(int(fault["line"]))
        return {"kind": fault["kind"], "text": text, "lines": lines}
    if answer["damage"]:
        return {"kind": "memory", "text": str(answer["damage"]), "lines": set()}
    needed = words[: len(REFERENCES[header(path)["VALUES"]](inputs(len(words))))] if path in RIGHT.values() else words
    kind = "unwritten" if b"\xff\xff\xff\xff" in needed else ""
    return {"kind": kind, "text": "", "lines": set(), "code": answer["code"], "values": values}


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(outcome: Outcome, name: str) -> None:
    found = outcome(BUGS[name])
    assert found["kind"] == header(BUGS[name])["EXPECTED"], found


@pytest.mark.parametrize("name", BUGS)
def test_its_line_is_named(outcome: Outcome, name: str) -> None:
    lines = outcome(BUGS[name])["lines"]
    if header(BUGS[name])["EXPECTED"] in WITHOUT_LINE:
        assert not lines
    else:
        assert lines & marked(BUGS[name])


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_file_passes(outcome: Outcome, name: str) -> None:
    head = header(RIGHT[name])
    found = outcome(RIGHT[name])
    assert found["kind"] == "", found
    assert found["code"] == 0
    for at, value in enumerate(REFERENCES[head["VALUES"]](inputs(int(head["N"])))):
        assert found["values"][at] == pytest.approx(value, rel=NEAR, abs=NEAR), at


def test_the_corpus_is_whole() -> None:
    heads = [header(path) for path in BUGS.values()]
    assert {head["EXPECTED"] for head in heads} == KINDS
    assert len(BUGS) >= 42
    assert len(RIGHT) >= 16
    assert all(marked(path) for path in BUGS.values())
    assert not any(marked(path) for path in RIGHT.values())
    assert {header(path)["VALUES"] for path in RIGHT.values()} == set(REFERENCES)
