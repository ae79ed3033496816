"""The command `export` over a batch's folder: each format, what is open, what is refused; nothing is ever mixed up."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from grader.batch.mapping import Person
from grader.cli.app import app
from tests.batch.classes import CONTENT
from tests.batch.made_folder import handed, keep
from tests.batch.made_up import NOON, entry

GRADEBOOK = (
    "Student;ID;SIS Login ID;Section;Double (7);Homework (8);Final Score\r\n"
    "    Points Possible;;;;5,00;8,00;(read only)\r\n"
    "=Ada;1;ada;A;;;\r\n"
    "Bob;2;bob;A;1,00;EX;\r\n"
    "Cyd;3;cyd;A;;2,00;\r\n"
    "Dan;4;dan;A;;;\r\n"
    "Eve;5;eve;A;;;\r\n"
)
FORMULA = Person(id="ada", name='=1+1,"x"', email="ada@example.org")
LATE = "deadline: 2026-10-01 00:00+00:00\nper_day: 0.5\n"


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    """Ada's name is a formula, Bob and Cyd are a group, Dan is not graded yet, Eve handed in nothing."""
    entries = [
        entry("s1", files=handed("right")).model_copy(update={"people": (FORMULA,)}),
        entry("s2", "bob", "cyd", files=handed("wrong")),
        entry("s3", "dan", files=[*handed("right", "double"), *handed("new", "triple")]),
        entry("s4", "eve", files=[], submitted_at=None),
    ]
    return keep(tmp_path / "autumn", entries)


def export(folder: Path, *words: str | Path, code: int = 0) -> list[str]:
    """The lines that it prints; runs in this process, which is quick."""
    found = CliRunner().invoke(app, ["export", *map(str, (folder, *words)), "--root", str(CONTENT)])
    assert found.exit_code == code, found.output
    assert found.exception is None or isinstance(found.exception, SystemExit)
    return found.output.splitlines()


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if not file.name.startswith("."))


UNFINISHED = "unfinished: dan (s3): triple: not graded yet: run the batch again"


def test_gradescope(batch: Path) -> None:
    said = export(batch, "--to", "gradescope")
    assert said == [
        UNFINISHED,
        f"{batch}/gradescope: 4 of 4 submissions written, 1 of them with open grades, which have no points",
    ]
    assert names(batch / "gradescope") == ["s1.json", "s2.json", "s3.json", "s4.json"]
    scores = {
        name: json.loads((batch / "gradescope" / name).read_text())["score"] for name in names(batch / "gradescope")
    }
    assert scores == {"s1.json": 8, "s2.json": 4, "s3.json": 5, "s4.json": 0}


def test_an_open_grade_takes_the_file_of_before_away(batch: Path) -> None:
    export(batch, "--to", "classroom50", "--classroom", "c", "--assignment", "a", "--submitted-at", "2026-10-01T12:00Z")
    assert names(batch / "classroom50") == ["s1.json", "s2.json", "s4.json"]
    for file in (batch / "results").glob("*/*.json"):
        file.unlink()  # as if the tests had changed
    options = ("--to", "classroom50", "--classroom", "c", "--assignment", "a")
    dry = export(batch, *options, "--dry-run")
    assert names(batch / "classroom50") == ["s1.json", "s2.json", "s4.json"]
    said = export(batch, *options)
    assert dry[:-1] == said[:-1]
    assert dry[-1] == f"{said[-1]} (dry run: nothing was written)"
    assert names(batch / "classroom50") == []
    assert said[:4] == [f"not written: {s}: not decided yet" for s in ("s1", "s2", "s3")] + [
        "not written: s4: the time of handing in is not known; give one with --submitted-at"
    ]
    assert "taken away, since it is not written any more: s2.json" in said
    assert said[-1] == f"{batch}/classroom50: 0 of 4 submissions written; 4 not written"


def test_classroom50_of_group_work(batch: Path, tmp_path: Path) -> None:
    export(batch, "--to", "classroom50", "--classroom", "c", "--assignment", "a", "--output", tmp_path / "new/folder")
    data = json.loads((tmp_path / "new/folder/s1.json").read_text())
    assert (data["assignment_type"], data["owner"], data["score"], data["max-score"]) == ("group", "ada", 8, 8)


def test_junit(batch: Path) -> None:
    assert export(batch, "--to", "junit")[-1].startswith(f"{batch}/junit: 4 of 4 submissions written")
    root = ElementTree.parse(batch / "junit/s3.xml").getroot()
    assert [(suite.get("name"), suite.get("tests"), suite.get("skipped")) for suite in root] == [
        ("double", "2", "0"),
        ("triple", "1", "1"),
    ]


def test_students(batch: Path) -> None:
    said = export(batch, "--to", "students")
    assert said[-1] == f"{batch}/students: 5 pages written, 1 of them with open grades, which have no points"
    assert names(batch / "students") == [f"{person}.md" for person in ("ada", "bob", "cyd", "dan", "eve")]
    assert "**8 of 8 points.**" in (batch / "students/ada.md").read_text()
    assert "not decided" in (batch / "students/dan.md").read_text()


def test_csv(batch: Path, tmp_path: Path) -> None:
    (batch / "late.yaml").write_text(LATE)
    said = export(batch, "--to", "csv")
    assert said == [UNFINISHED, f"{batch}/grades.csv: 5 lines written, 1 of them with open grades, which are empty"]
    rows = list(csv.DictReader(io.StringIO((batch / "grades.csv").read_bytes().decode(), newline="")))
    assert [(row["id"], row["name"], row["points"], row["total"]) for row in rows] == [
        ("ada", '\'=1+1,"x"', "8", "4"),
        ("bob", "Bob", "4", "2"),
        ("cyd", "Cyd", "4", "2"),
        ("dan", "Dan", "", ""),
        ("eve", "Eve", "0", "0"),
    ]
    export(batch, "--to", "csv")  # its own file may be written again
    other = tmp_path / "other.csv"
    export(batch, "--to", "csv", "--output", other)
    assert other.read_bytes() == (batch / "grades.csv").read_bytes()
    assert "is there already" in export(batch, "--to", "csv", "-o", other, code=2)[0]
    export(batch, "--to", "csv", "-o", other, "--replace")


def test_canvas(batch: Path, tmp_path: Path) -> None:
    gradebook = tmp_path / "exported.csv"
    gradebook.write_bytes(b"\xef\xbb\xbf" + GRADEBOOK.encode())
    words = ("--to", "canvas", "--gradebook", gradebook, "--column", "double=Double (7)", "--column", "Homework (8)")
    dry = export(batch, *words, "--dry-run")
    assert not (batch / "canvas.csv").exists()
    said = export(batch, *words)
    assert dry[:-1] == said[:-1]
    assert said == [
        'ada (=1+1,"x"): Double (7): empty → 5,00',
        'ada (=1+1,"x"): Homework (8): empty → 8,00',
        "bob (Bob): Double (7): 1,00 → 2,00",
        "cyd (Cyd): Double (7): empty → 2,00",
        "cyd (Cyd): Homework (8): 2,00 → 4,00",
        "dan (Dan): Double (7): empty → 5,00",
        "eve (Eve): Double (7): empty → 0,00",
        "eve (Eve): Homework (8): empty → 0,00",
        "not filled in: bob (Bob): Homework (8): stays 'EX' (excused)",
        "not filled in: dan (Dan): Homework (8): not decided yet (triple)",
        UNFINISHED,
        f"{batch}/canvas.csv: 8 cells filled in, 0 the same already, 2 not filled in",
    ]
    expected = GRADEBOOK.replace("=Ada;1;ada;A;;;", "=Ada;1;ada;A;5,00;8,00;").replace("A;1,00;EX", "A;2,00;EX")
    expected = expected.replace("A;;2,00;", "A;2,00;4,00;").replace("dan;A;;;", "dan;A;5,00;;")
    expected = expected.replace("eve;A;;;", "eve;A;0,00;0,00;")
    assert (batch / "canvas.csv").read_bytes() == b"\xef\xbb\xbf" + expected.encode()
    assert gradebook.read_bytes() == b"\xef\xbb\xbf" + GRADEBOOK.encode()


@pytest.mark.parametrize("kind", ["gradescope", "junit", "students", "csv"])
def test_an_empty_batch(kind: str, tmp_path: Path) -> None:
    folder = keep(tmp_path / "empty", [])
    said = export(folder, "--to", kind)
    assert len(said) == 1
    assert ": 0 " in said[0]


def test_hostile_ids_stay_in_the_folder(tmp_path: Path) -> None:
    people = (Person(id="../../evil", name="\x1b[2Jx"), Person(id="Evil"), Person(id="evil"))
    folder = keep(tmp_path / "out", [entry("s1", files=handed("new")).model_copy(update={"people": people})])
    said = export(folder, "--to", "students")
    assert len(names(folder / "students")) == 3
    assert not any("\x1b" in line for line in said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--to moodle", "--to 'moodle': expected one of gradescope, canvas, classroom50, csv, junit, students"),
        ("--to canvas", "--gradebook: expected the gradebook that Canvas exports"),
        ("--to canvas --gradebook {tmp}/nowhere.csv", "nowhere.csv: cannot be read: No such file"),
        ("--to canvas --gradebook {tmp}", "cannot be read: Is a directory"),
        ("--to canvas --gradebook {tmp}/book.csv", "--column: expected a column's title"),
        ("--to canvas --gradebook {tmp}/book.csv --column Homework", "nearest are: 'Homework (8)'"),
        ("--to canvas --gradebook {tmp}/book.csv --column Homework#(8) -o {tmp}/book.csv", "is the gradebook itself"),
        ("--to junit --column x", "--column: is for --to canvas, found --to junit"),
        ("--to csv --hidden visible", "--hidden: is for --to gradescope"),
        ("--to gradescope --hidden never", "--hidden 'never': expected one of hidden, after_due_date"),
        ("--to classroom50", "--classroom '': expected the short name"),
        ("--to classroom50 --classroom c --assignment a --submitted-at noon", "expected a time with its zone"),
        ("--to classroom50 --classroom c --assignment a --submitted-at 2026-10-01T12:00", "expected a time with its"),
        ("--to junit --output {tmp}", "which no export wrote"),
        ("--to junit --output {tmp}/book.csv", "expected a folder, found a file"),
        ("--to csv --output {tmp}", "expected the name of a file"),
        ("--to csv --output {tmp}/nowhere/a.csv", "in a folder that exists"),
        ("--to csv --output {tmp}/book.csv", "is there already"),
    ],
)
def test_what_is_refused_and_nothing_written(words: str, message: str, batch: Path, tmp_path: Path) -> None:
    (tmp_path / "book.csv").write_bytes(GRADEBOOK.encode())
    before = sorted(tmp_path.rglob("*"))
    said = export(batch, *(word.replace("#", " ").format(tmp=tmp_path) for word in words.split()), code=2)
    assert message in " ".join(said)
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "book.csv").read_bytes() == GRADEBOOK.encode()


def test_another_folder_is_no_batch(tmp_path: Path) -> None:
    assert "no batch.json" in export(tmp_path, "--to", "csv", code=2)[0]
    assert list(tmp_path.iterdir()) == []


def test_times_are_those_of_handing_in(batch: Path) -> None:
    export(
        batch,
        "--to",
        "classroom50",
        "--classroom",
        "c",
        "--assignment",
        "a",
        "--submitted-at",
        "2026-10-05T00:00+02:00",
    )
    times = {
        name: json.loads((batch / "classroom50" / name).read_text())["datetime"] for name in ("s1.json", "s4.json")
    }
    assert times == {"s1.json": NOON.strftime("%Y-%m-%dT%H:%M:%SZ"), "s4.json": "2026-10-04T22:00:00Z"}
