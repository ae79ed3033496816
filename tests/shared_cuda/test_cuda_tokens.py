"""The split into tokens."""

from __future__ import annotations

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
