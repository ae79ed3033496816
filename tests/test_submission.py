"""Collecting a file, and noticing the unfilled stub. The refusals themselves are golden folders."""

from __future__ import annotations

import pytest

from grader.submission import digest

STUB = "import math\n\ndef f(x):\n    # TODO\n    raise NotImplementedError\n"


@pytest.mark.parametrize(
    "text",
    [
        STUB.replace("# TODO", "# I will do this tomorrow"),
        STUB.replace("\n\n", "\n\n\n\n"),
        STUB.replace("    ", "  "),
        STUB.replace("\n", "\r\n"),
        STUB + "\n# the end",
    ],
)
def test_comments_and_layout_do_not_count(text: str) -> None:
    assert digest("a.py", text) == digest("a.py", STUB)


@pytest.mark.parametrize("text", [STUB.replace("f(x)", "f(y)"), STUB + "y = 1\n", STUB.replace("import math\n", "")])
def test_any_token_counts(text: str) -> None:
    assert digest("a.py", text) != digest("a.py", STUB)


def test_cuda_files_have_tokens_too() -> None:
    text = "int f(int x) {\n  return x; // TODO\n}\n"
    assert digest("a.cu", text) == digest("a.cu", "int f(int x){return x;/* later */}")
    assert digest("a.cu", text) != digest("a.cu", text.replace("x;", "x + 1;"))


def test_text_that_is_no_python_equals_only_itself() -> None:
    assert digest("a.py", "def f(:\n  '''") == digest("a.py", "def f(:\n  '''")
    assert digest("a.py", "def f(:\n  '''") != digest("a.py", "def f(:\n  ''' ")
