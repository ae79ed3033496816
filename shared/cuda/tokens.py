"""CUDA C++ text as tokens.

The split is lossless: the tokens' texts, joined, are the input. It knows as much of the language
as rewriting needs: comments, strings and preprocessor lines are one token each.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

# The order matters: the first alternative that fits wins. `>>` stays two tokens, because it may
# close two template lists; `>>>` and `<<<` are launches. A string ends with its line at the latest,
# a comment with the text: no alternative looks far ahead in vain, so that the time is linear.
_TOKEN = re.compile(
    r"""
      (?P<comment>   //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) )
    | (?P<directive> ^[ \t]*\#(?: \\\n | /\*.*?\*/ | "(?:\\.|[^"\\\n])*"? | (?!//|/\*)[^\n"] )* )
    | (?P<string>    (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?
                   | (?:u8|[uUL])?'(?:\\.|[^'\\\n])*'? )
    | (?P<name>      [A-Za-z_]\w* )
    | (?P<number>    \.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])* )
    | (?P<space>     \s+ )
    | (?P<operator>  <<< | >>> | :: | -> | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_RAW_PREFIXES = frozenset(("R", "u8R", "uR", "UR", "LR"))
_RAW_START = re.compile(r'"([^\s()\\]{0,16})\(')
_RAW_END = re.compile(r'\)([^\s()\\]{0,16}"[^\s()\\]{0,16})')


@dataclass(frozen=True)
class Token:
    """A piece of the text, and the line (from 1) on which it begins.

    kind is one of comment, directive, string, name, number, space and operator.
    """

    kind: str
    text: str
    line: int


def tokens(text: str) -> list[Token]:
    """Split the text, in linear time; any text can be split, well-formed or not."""
    found = []
    raw_strings = _RawStrings(text)
    line = 1
    at = 0
    while match := _TOKEN.match(text, at):
        kind = match.lastgroup or "operator"
        end = match.end()
        if match[0] in _RAW_PREFIXES:
            closed = raw_strings.end(end)
            kind, end = ("string", closed) if closed else (kind, end)
        found.append(Token(kind, text[at:end], line))
        line += text.count("\n", at, end)
        at = end
    return found


class _RawStrings:
    """Where raw strings may end; found once, since a text may have many that do not end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ends: dict[str, list[int]] | None = None

    def end(self, quote: int) -> int | None:
        """Return the end of the raw string whose opening quote stands at `quote`, if it has one."""
        start = _RAW_START.match(self.text, quote)
        if start is None:
            return None
        if self.ends is None:
            self.ends = self._find_ends()
        delimiter = start[1]
        parentheses = self.ends.get(delimiter, [])
        first = bisect_left(parentheses, start.end())
        return parentheses[first] + len(delimiter) + 2 if first < len(parentheses) else None

    def _find_ends(self) -> dict[str, list[int]]:
        """Return the closing parentheses of each delimiter, which may itself contain a quote."""
        ends: dict[str, list[int]] = {}
        for match in _RAW_END.finditer(self.text):
            after = match[1][:17]
            for i in range(len(after)):
                if after[i] == '"':
                    ends.setdefault(after[:i], []).append(match.start())
        return ends


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
