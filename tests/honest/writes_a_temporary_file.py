"""Keeps a note in a temporary file, and reads it again."""
import json
import os
import tempfile
from pathlib import Path


def double(x):
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder, "note.json")
        note.write_text(json.dumps({"factor": 2}))
        factor = json.loads(note.read_text())["factor"]
    with open("log.txt", "a") as file:
        file.write(f"{os.getpid()} {x.shape}\n")
    return factor * x
