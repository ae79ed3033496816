"""A folder laid out like Gradescope's, with a small made-up course in it."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from grader.gradescope.settings import Settings
from grader.submission import digest

TESTS = Path(__file__).parents[1]
DOUBLE = TESTS / "content/exercises/double"
SCHEMA = json.loads((TESTS.parent / "docs/gradescope.schema.json").read_text(encoding="utf-8"))
METADATA: dict[str, Any] = {
    "id": 4711,
    "created_at": "2026-10-01T14:00:00.365935-07:00",
    "assignment": {"due_date": "2026-10-01T12:00:00.000000-07:00", "total_points": "10.0"},
    "submission_method": "upload",
    "users": [
        {"email": "Ada@example.org", "id": 11, "name": "Ada"},
        {"email": "bob@example.org", "id": 12, "name": "Bob"},
    ],
    "previous_submissions": [{"score": 3.0, "results": {"tests": []}}],
}


def lay_out(base: Path, names: Sequence[str], settings: Settings | None = None) -> Path:
    """Make the folders, with a course of exercises that are all like `double`; where the course lies."""
    course = base / "source/course"
    for order, name in enumerate(names):
        folder = course / "exercises" / name
        shutil.copytree(DOUBLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        _rename(folder, name, order)
    (base / "submission").mkdir()
    (base / "results").mkdir()
    (base / "results").chmod(0o777)
    (course / "package.json").write_text((settings or Settings(seed=5)).model_dump_json())
    tell(base, METADATA)
    return course


def _rename(folder: Path, name: str, order: int) -> None:
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        file.write_text(file.read_text().replace("double(x)", f"{name}(x)").replace("double.py", f"{name}.py"))
    stub = (folder / "double.py").rename(folder / f"{name}.py")
    metadata = folder / "exercise.yaml"
    text = metadata.read_text().replace("order: 1", f"order: {order}")
    old = digest("double.py", (DOUBLE / "double.py").read_text())
    metadata.write_text(text.replace(old, digest(stub.name, stub.read_text())))


def tell(base: Path, metadata: object) -> None:
    """Gradescope's metadata; text stands as it is."""
    text = metadata if isinstance(metadata, str) else json.dumps(metadata)
    (base / "submission_metadata.json").write_text(text, encoding="utf-8")


def zipped(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"answers/{name}.py", text)
    return stream.getvalue()


def results(base: Path) -> dict[str, Any]:
    """What was written, held to the schema."""
    text = (base / "results/results.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    Draft202012Validator(SCHEMA).validate(data)
    return data
