"""CUDA C++ text as tokens.

The split is lossless: the tokens' texts, joined, are the input. It knows as much of the language
as rewriting needs: comments, strings and preprocessor lines are one token each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# The order matters: the first alternative that fits wins. `>>` stays two tokens, because it may
# close two template lists; `>>>` and `<<<` are launches.
_TOKEN = re.compile(
    r"""
      (?P<comment>   //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) )
    | (?P<directive> ^[ \t]*\#(?: \\\n | /\*.*?\*/ | (?!//|/\*)[^\n] )* )
    | (?P<string>    (?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)"
                   | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
                   | (?:u8|[uUL])?'(?:\\.|[^'\\\n])*' )
    | (?P<name>      [A-Za-z_]\w* )
    | (?P<number>    \.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])* )
    | (?P<space>     \s+ )
    | (?P<operator>  <<< | >>> | :: | -> | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_KINDS = ("comment", "directive", "string", "name", "number", "space", "operator")


@dataclass(frozen=True)
class Token:
    """A piece of the text, and the line (from 1) on which it begins.

    kind is one of comment, directive, string, name, number, space and operator.
    """

    kind: str
    text: str
    line: int


def tokens(text: str) -> list[Token]:
    """Split the text; any text can be split, well-formed or not."""
    found = []
    line = 1
    for match in _TOKEN.finditer(text):
        kind = next(kind for kind in _KINDS if match[kind] is not None)
        found.append(Token(kind, match[0], line))
        line += match[0].count("\n")
    return found


def is_code(token: Token) -> bool:
    """Tell whether the token is neither a comment nor white space."""
    return token.kind not in ("comment", "space")


def code(text: str) -> tuple[str, ...]:
    """Return the texts of all tokens but comments and white space.

    Two files with the same code differ in comments and layout only.
    """
    return tuple(
        " ".join(token.text.split()) if token.kind == "directive" else token.text
        for token in tokens(text)
        if is_code(token)
    )
