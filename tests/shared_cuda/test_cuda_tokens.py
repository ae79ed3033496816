"""The split into tokens."""

from __future__ import annotations

import time

import pytest

from shared.cuda.tokens import code, tokens
from tests.shared_cuda.conftest import KERNELS

ODD = """#define A(x) \\
  x // a comment
char c = '"', d = '\\''; const char* s = R"x(a "quoted" )" b)x"; /* over
two lines */ auto n = 1'000u + 0x1p-3 + .5e+3f; k<a<b<1>>><<<g, b>>>(x);
"unclosed
/* unclosed"""


@pytest.mark.parametrize("text", [ODD, "", *(path.read_text() for path in sorted(KERNELS.glob("*.cu")))])
def test_the_texts_joined_are_the_input(text: str) -> None:
    assert "".join(token.text for token in tokens(text)) == text


def test_lines_count_from_one() -> None:
    found = {token.text: token.line for token in tokens("a\n/* x\n y */ b\n'\\n' c")}
    assert (found["a"], found["b"], found["c"]) == (1, 3, 4)


def test_strings_and_comments_are_one_token() -> None:
    kinds = [(token.kind, token.text) for token in tokens('"a // b" /* "c" */ R"(d)")")')]
    assert ("string", '"a // b"') in kinds
    assert ("comment", '/* "c" */') in kinds
    assert ("string", 'R"(d)"') in kinds


def test_code_ignores_comments_and_layout() -> None:
    assert code("int  f ( ) ; // note") == code("/* other */int f();\n")
    assert code("int f();") != code("int g();")
    assert code("#define  A 1\n") == code("#define A   1")


def test_a_raw_string_ends_with_its_own_delimiter_only() -> None:
    found = [(token.kind, token.text) for token in tokens('u8R"x(a )" )y" b)x" ")x"')]
    assert found[0] == ("string", 'u8R"x(a )" )y" b)x"')


def test_a_raw_string_without_an_end_is_a_name_and_a_string_of_one_line() -> None:
    found = [(token.kind, token.text) for token in tokens('R"x(a )" b\nint c;')]
    assert found[:2] == [("name", "R"), ("string", '"x(a )"')]
    assert ("name", "int") in found


def test_a_string_without_an_end_ends_with_its_line() -> None:
    texts = [token.text for token in tokens("x = 'a b\ny = \"c\\\n d\nz;")]
    assert "'a b" in texts
    assert '"c\\\n d' in texts
    assert "z" in texts


def test_a_comment_may_not_begin_in_the_string_of_a_directive() -> None:
    assert [token.text for token in tokens('#define A "/*"\nint x;')][:3] == ['#define A "/*"', "\n", "int"]


PATHOLOGICAL = (
    'R"(',
    'R"(\n',
    'R"abcdefghijklmnop(',
    'R"x( )y" ',
    ')"',
    ')aaaaaaaaaaaaaaaa"',
    "/*",
    "/* */ /",
    "//\\\n",
    "#",
    "#\n",
    "#/*",
    '#"\n',
    "\n#/**/",
    " ",
    "\t\n",
    "\\",
    '\\"',
    "\\'",
    '"',
    "'",
    "\"'",
    '"\\\n',
    "1'",
    "1e+",
    "u8",
    "u8R",
    "(",
    "<<<",
    ".",
)


@pytest.mark.parametrize("piece", PATHOLOGICAL)
def test_the_time_is_linear(piece: str) -> None:
    for start in ("", '"', "#"):
        check_time(start + piece * (50_000 // len(piece)), limit_s=0.4)


def test_half_a_megabyte_of_raw_strings_without_an_end() -> None:
    check_time('R"(' * 170_000, limit_s=2)
    check_time("".join(f'R"{i}(' for i in range(60_000)), limit_s=2)  # each with its own delimiter


def check_time(text: str, limit_s: float) -> None:
    start = time.process_time()
    found = tokens(text)
    assert time.process_time() - start < limit_s
    assert "".join(token.text for token in found) == text
