"""The folder of one batch: every file in it is written whole under another name, then renamed; nothing is rewritten
in place. What it holds is told in the package's docstring.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.batch.mapping import SCHEMA_VERSION, Entry, Intake, Mapping
from grader.batch.result import Conditions, Result
from grader.errors import UsageError
from grader.files import write, write_first

_CURRENT = "current-"  # before an exercise's name: the conditions of the last run
Model = TypeVar("Model", bound=BaseModel)


class _Settings(BaseModel):
    """`batch.json`: what stays the same for the whole life of the folder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = SCHEMA_VERSION
    seed: int  # of every submission's inputs: the same for all, and unknown to students


class Folder:
    """`--out`: opened, or made new."""

    def __init__(self, path: Path) -> None:
        """Raises UsageError for a folder that is something else, or of another version."""
        self.path = path
        self._settings = self._open()

    @property
    def seed(self) -> int:
        """The seed of the batch."""
        return self._settings.seed

    @property
    def policy(self) -> Path:
        """The late policy, where there is one; see `late.load_policy`."""
        return self.path / "late.yaml"

    # -- what was handed in

    def keep(self, intake: Intake) -> Mapping:
        """Store the bytes, then the table; submissions that were there before and are not now stay in it."""
        before = self.mapping(missing_ok=True)
        mapping = _joined(before, intake.mapping, self.path)
        for content, data in intake.files.items():
            if not (self.path / "files" / content).exists():
                write(self.path / "files" / content, data)
        write(self.path / "mapping.json", mapping.model_dump_json(indent=1) + "\n")
        return mapping

    def mapping(self, missing_ok: bool = False) -> Mapping:
        """The table; raises UsageError where there is none."""
        file = self.path / "mapping.json"
        if not file.exists():
            if missing_ok:
                return Mapping(layout="", entries=())
            raise UsageError(f"{self.path}: no mapping.json; run `python -m grader batch SUBMISSIONS --out` first")
        return _parsed(Mapping, file)

    def file(self, content: str) -> bytes:
        """The bytes of a student's file."""
        return (self.path / "files" / content).read_bytes()

    # -- verdicts

    def result(self, exercise: str, content: str, conditions: str) -> Result | None:
        """The verdict on a file under these conditions; None where there is none, or what is there cannot be read."""
        file = self._place(exercise, f"{content}-{conditions}.json")
        with contextlib.suppress(FileNotFoundError, ValidationError):
            return Result.model_validate_json(file.read_bytes())
        return None

    def results(self) -> Iterator[Result]:
        """All verdicts, the oldest first."""
        files = [f for f in (self.path / "results").glob("*/*.json") if not f.name.startswith(".")]
        for file in sorted(files, key=lambda f: (f.stat().st_mtime_ns, f.name)):
            with contextlib.suppress(FileNotFoundError, ValidationError):
                yield Result.model_validate_json(file.read_bytes())

    def put(self, result: Result) -> None:
        """Store a verdict; a fault of ours never takes the place of a real one."""
        if result.is_ours:
            before = self.result(result.exercise, result.content, result.conditions)
            if before is not None and not before.is_ours:
                return
        place = self._place(result.exercise, result.name)
        place.parent.mkdir(exist_ok=True)
        write(place, result.model_dump_json(indent=1) + "\n")

    def note(self, conditions: Conditions) -> None:
        """Store what verdicts are made with; from now on those of the exercise count that were made so."""
        text = conditions.model_dump_json(indent=1) + "\n"
        for name in (conditions.key, f"{_CURRENT}{conditions.exercise}"):
            file = self.path / "conditions" / f"{name}.json"
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                write(file, text)

    def conditions(self, key: str) -> Conditions:
        """What verdicts with this key were made with."""
        return _parsed(Conditions, self.path / "conditions" / f"{key}.json")

    def current(self, exercise: str) -> str:
        """The key of the conditions of the last run; empty where there was none."""
        name = f"{_CURRENT}{exercise}"
        there = (self.path / "conditions" / f"{name}.json").exists()
        return self.conditions(name).key if there else ""

    def claim(self, exercise: str, content: str, conditions: str) -> Path:
        """The lock file of one verdict that is being made."""
        return self.path / "claims" / f"{exercise}-{content}-{conditions}.lock"

    def _place(self, exercise: str, name: str) -> Path:
        return self.path / "results" / exercise / name

    def _open(self) -> _Settings:
        file = self.path / "batch.json"
        if not file.exists():
            self._refuse_other_things()
            self.path.mkdir(parents=True, exist_ok=True)
            self.path.chmod(0o700)  # a submission may run as another user: it is none of its business
            for name in ("files", "conditions", "results", "claims"):
                (self.path / name).mkdir(exist_ok=True)
            write_first(file, _Settings(seed=secrets.randbits(31)).model_dump_json(indent=1) + "\n")
        found = _parsed(_Settings, file)
        if found.schema_version != SCHEMA_VERSION:
            raise UsageError(
                f"{file}: written by another version of the grader (format {found.schema_version}, "
                f"this one has {SCHEMA_VERSION}); name a new folder, or grade with the version that made it"
            )
        return found

    def _refuse_other_things(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"--out {self.path}: expected a folder, found a file")
        others = sorted(p.name for p in self.path.iterdir()) if self.path.is_dir() else []
        if others:
            shown = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
            raise UsageError(f"--out {self.path}: holds {shown} and no batch.json; name a new folder or an empty one")


def _joined(before: Mapping, now: Mapping, place: Path) -> Mapping:
    """The new table with the submissions that only the old one has."""
    ids = {entry.id for entry in now.entries}
    kept = [entry for entry in before.entries if entry.id not in ids]
    if before.entries and ids and len(kept) == len(before.entries):
        raise UsageError(
            f"--out {place}: holds {len(kept)} other submissions ({kept[0].id}, …) and none of these; "
            "it is another class's, so name a new folder"
        )
    entries: list[Entry] = sorted([*kept, *now.entries], key=lambda entry: entry.id)
    said = [f"{entry.id} was handed in before and is not there now; its grades stay" for entry in kept]
    exercises = tuple(dict.fromkeys((*before.exercises, *now.exercises)))
    return now.model_copy(
        update={"entries": tuple(entries), "exercises": exercises, "problems": (*now.problems, *said)}
    )


def _parsed(model: type[Model], file: Path) -> Model:
    try:
        return model.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"{file}: not a file of a batch, or a damaged one: {reason}") from None
