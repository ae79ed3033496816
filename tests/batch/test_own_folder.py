"""The folder of an export: written again as a whole, never mixed with files of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.export import own_folder
from grader.export.own_folder import MARK, checked, names, write_all


def there(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir() if file.name != MARK}


def test_it_is_made_and_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "a/b"
    assert write_all(folder, "junit", {"1.xml": "one", "2.xml": "two"}) == ()
    assert write_all(folder, "junit", {"2.xml": "new", "3.xml": "three"}) == ("1.xml",)
    assert there(folder) == {"2.xml": "new", "3.xml": "three"}
    assert write_all(folder, "junit", {}) == ("2.xml", "3.xml")
    assert there(folder) == {}


def test_files_of_others_are_refused_and_stay(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("mine")
    with pytest.raises(UsageError, match=r"holds thesis.md, which no export wrote"):
        write_all(tmp_path, "students", {"ada.md": "x"})
    assert there(tmp_path) == {"thesis.md": "mine"}
    folder = tmp_path / "own"
    write_all(folder, "students", {"ada.md": "x"})
    (folder / "note.md").write_text("mine")
    with pytest.raises(UsageError, match=r"holds note.md"):
        write_all(folder, "students", {})
    assert there(folder) == {"ada.md": "x", "note.md": "mine"}


def test_another_export_is_refused(tmp_path: Path) -> None:
    write_all(tmp_path, "junit", {"1.xml": "one"})
    with pytest.raises(UsageError, match="holds an export to junit"):
        write_all(tmp_path, "gradescope", {"1.json": "one"})
    with pytest.raises(UsageError, match="expected a folder, found a file"):
        checked(tmp_path / "1.xml", "junit")


@pytest.mark.parametrize(
    "text", ["", "{}", '{"format": "junit", "files": ["../other"]}', '{"format": "junit", "files": [""]}']
)
def test_a_damaged_mark_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / MARK).write_text(text)
    with pytest.raises(UsageError, match=r"\.export\.json: "):
        write_all(tmp_path, "junit", {"1.xml": "one"})


def test_killed_in_between_it_is_still_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "own"
    write_all(folder, "junit", {"1.xml": "one"})
    real = own_folder.write

    def dies(file: Path, text: str) -> None:
        if file.name == "3.xml":
            raise KeyboardInterrupt
        real(file, text)

    monkeypatch.setattr(own_folder, "write", dies)
    with pytest.raises(KeyboardInterrupt):
        write_all(folder, "junit", {"2.xml": "two", "3.xml": "three"})
    monkeypatch.undo()
    assert there(folder) == {"1.xml": "one", "2.xml": "two"}
    assert write_all(folder, "junit", {"3.xml": "three"}) == ("1.xml", "2.xml")
    assert there(folder) == {"3.xml": "three"}


def test_what_a_file_manager_leaves_is_nothing(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_text("")
    write_all(tmp_path, "junit", {"1.xml": "one"})
    assert sorted(there(tmp_path)) == [".DS_Store", "1.xml"]


IDS = [
    "ada",
    "Ada",
    "ADA",
    "a/b",
    "a_b",
    "a b",
    "../x",
    "",
    ".",
    "..",
    "é" * 200,
    "e\u0301",
    "a\0",
    "\ud800",
    "-x",
    "x~2",
]


def test_each_id_has_a_name_of_its_own(tmp_path: Path) -> None:
    found = names(IDS, ".md")
    assert list(found) == IDS
    assert found["ada"] == "ada.md"
    assert found["x~2"] == "x~2.md"
    assert len({name.casefold() for name in found.values()}) == len(IDS)
    for name in found.values():
        assert Path(name).name == name
        assert not name.startswith((".", "-"))
        assert len(name.encode()) < 120
        (tmp_path / name).write_text("")
