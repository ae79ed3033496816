"""CUDA C++ text into C++ text that a host compiler accepts, line for line.

Only what is no C++ is rewritten: launches, `__shared__` declarations and a few names. All else is
declared by the emulator's headers.
"""

from __future__ import annotations

import re

from shared.cuda.shared_variables import RewriteError, UnreadableError, declare
from shared.cuda.tokens import Token, is_code, tokens
from shared.cuda.unsupported import unsupported

__all__ = ["RewriteError", "UnreadableError", "rewrite", "unsupported"]

_OPEN = {"(": ")", "[": "]", "{": "}"}
_LINKS = ("::", "->", ".")
_STATEMENTS = ("return", "else", "do")
_UNCHECKED = re.compile(r"\b(?:__)?(?:no_sanitize\w*|disable_sanitizer_instrumentation)\b")
_CLOSE = {")": "(", "]": "[", "}": "{"}


def rewrite(text: str, filename: str) -> str:
    """Return C++ text whose line n is line n of `filename`; a #line directive precedes it.

    Raises RewriteError for a launch or a declaration that cannot be right, and UnreadableError for
    a `__shared__` declaration of a form that is not known here.
    """
    return f'#line 1 "{filename}"\n' + _Rewriter(text).run()


class _Rewriter:
    """Goes over the tokens once; a launch takes its kernel's name back from the output."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.kernels = _kernel_names(self.tokens)

    def run(self) -> str:
        return "".join(token.text for token in self.rewritten(self.tokens))

    def rewritten(self, source: list[Token]) -> list[Token]:
        out: list[Token] = []
        at = 0
        while at < len(source):
            at = self.step(source, at, out)
        return out

    def step(self, source: list[Token], at: int, out: list[Token]) -> int:
        """Rewrite what begins at `at`; return where to go on."""
        token = source[at]
        if token.text == "<<<":
            return self.launch(source, at, out)
        if token.kind == "name" and token.text in ("__shared__", "extern", "static"):
            end = _shared_declaration(source, at)
            if end is not None:
                out.append(_same_lines(declare(source[at:end]), source[at:end]))
                return end
        if token.text == "cudaFuncSetAttribute":
            return self.set_attribute(source, at, out)
        if token.text == "cudaLaunchKernel":
            out.append(token)
            return _after_void_cast(source, at + 1, out)
        if token.kind in ("name", "directive") and _UNCHECKED.search(token.text):
            raise RewriteError(token.line, "the checks of a kernel's accesses cannot be turned off")
        if token.text == "__noinline__":  # the C++ library's own headers use the word
            token = Token("name", "__attribute__((noinline))", token.line)
        out.append(token)
        return at + 1

    def launch(self, source: list[Token], at: int, out: list[Token]) -> int:
        """Turn `kernel<<<config>>>(arguments)` into a call."""
        line = source[at].line
        start = _callee_start(out)
        if start is None:
            raise RewriteError(line, "a launch needs a kernel's name before <<<")
        callee = out[start:]
        config_end = _find_end(source, at + 1, ">>>", line)
        opening = _next_code(source, config_end + 1)
        if opening is None or source[opening].text != "(":
            raise RewriteError(line, "a launch needs its arguments, in parentheses, after >>>")
        closing = _find_end(source, opening + 1, ")", line)
        config = self.rewritten(source[at + 1 : config_end])
        arguments = self.rewritten(_null_pointers(source[opening + 1 : closing]))
        del out[start:]
        out.append(self._call(callee, config, arguments, line))
        return closing + 1

    def _call(self, callee: list[Token], config: list[Token], arguments: list[Token], line: int) -> Token:
        called = _without_comments(callee).strip()
        settings = _without_comments(config)
        values = _without_comments(arguments)
        comma = ", " if values.strip() else ""
        text = (
            f"::cuda_emulator::launch(::cuda_emulator::Config({settings}), "
            f"{self._kernel(callee, called)}, "
            f"[=](auto... cuda_emulator_values) {{ {called}(cuda_emulator_values...); }}"
            f"{comma}{values})"
        )
        return Token("operator", text, line)

    def _kernel(self, callee: list[Token], called: str) -> str:
        name = self._known_kernel(callee)
        if name:
            return f'::cuda_emulator::Kernel("{name}")'
        is_variable = re.fullmatch(r"\w+", called) is not None
        address = f", {called}" if is_variable else ""
        return f'::cuda_emulator::Kernel(""{address})'

    def _known_kernel(self, expression: list[Token]) -> str:
        """Return the first name of the expression that is a kernel of this file, or ''."""
        names = (token.text for token in expression if token.kind == "name")
        return next((name for name in names if name in self.kernels), "")

    def set_attribute(self, source: list[Token], at: int, out: list[Token]) -> int:
        """Name the kernel in a call of cudaFuncSetAttribute."""
        line = source[at].line
        opening = _next_code(source, at + 1)
        if opening is None or source[opening].text != "(":
            out.append(source[at])
            return at + 1
        closing = _find_end(source, opening + 1, ")", line)
        name = self._known_kernel(source[opening + 1 : closing])
        text = f'::cuda_emulator::set_function_attribute("{name}", '
        out.append(Token("operator", text, line))
        return opening + 1


def _after_void_cast(source: list[Token], at: int, out: list[Token]) -> int:
    """Copy `(` and skip `(const void*)` after it: the kernel must keep its type."""
    end = at
    words: list[str] = []
    while end < len(source) and "".join(words) not in ("((void*)", "((constvoid*)"):
        if is_code(source[end]):
            words.append(source[end].text)
        if len(words) > len(("(", "(", "const", "void", "*", ")")):
            return at
        end += 1
    out.append(Token("operator", "(", source[at].line))
    return end


def _kernel_names(source: list[Token]) -> frozenset[str]:
    """Return the names that follow `__global__`, before their parameters."""
    found = set()
    words = [token for token in source if is_code(token)]
    for at, token in enumerate(words):
        if token.text != "__global__":
            continue
        for name, following in zip(words[at + 1 :], words[at + 2 :], strict=False):
            if name.kind == "name" and following.text == "(" and "launch_bounds" not in name.text:
                found.add(name.text)
                break
    return frozenset(found)


def _next_code(source: list[Token], at: int) -> int | None:
    return next((i for i in range(at, len(source)) if is_code(source[i])), None)


def _find_end(source: list[Token], at: int, end: str, line: int) -> int:
    """Return where `end` stands outside all brackets that open after `at`."""
    depth = braces = 0
    for i in range(at, len(source)):
        text = source[i].text
        if depth == 0 and text == end:
            return i
        depth += (text in _OPEN) - (text in _CLOSE)
        braces += (text == "{") - (text == "}")
        if depth < 0 or (text == ";" and braces == 0):  # a lambda has statements
            break
    raise RewriteError(line, f"the launch has no closing {end}")


def _callee_start(out: list[Token]) -> int | None:
    """Return where the expression begins that the output ends with: a::b<c, d>, (*f), t[i]."""
    start = None
    at = _previous_code(out, len(out))
    while at is not None:
        first = _part_start(out, at)
        if first is None:
            break
        start = first
        link = _previous_code(out, first)
        if link is None or out[link].text not in _LINKS:
            break
        start = link  # for now: `::` may also begin the expression
        at = _previous_code(out, link)
    return start


def _part_start(out: list[Token], at: int | None) -> int | None:
    """Return where the name, or the parenthesis, begins whose last token is at `at`."""
    if at is not None and out[at].text in (">", ">>>"):
        at = _previous_code(out, _template_start(out, at))
    while at is not None and out[at].text == "]":
        at = _previous_code(out, _opening(out, at))
    if at is not None and out[at].text == ")":
        return _opening(out, at)
    is_name = at is not None and out[at].kind == "name" and out[at].text not in _STATEMENTS
    return at if is_name else None


def _previous_code(out: list[Token], at: int) -> int | None:
    return next((i for i in range(at - 1, -1, -1) if is_code(out[i])), None)


def _template_start(out: list[Token], at: int) -> int:
    """Return where the `<` stands that the `>` at `at` closes."""
    depth = 0
    while at >= 0:
        text = out[at].text
        if text in _CLOSE:
            at = _opening(out, at)
        elif text in (">", ">>>"):
            depth += len(text)
        elif text == "<":
            depth -= 1
        if depth <= 0:
            break
        at -= 1
    return max(at, 0)


def _opening(out: list[Token], at: int) -> int:
    depth = 0
    for i in range(at, -1, -1):
        depth += (out[i].text in _CLOSE) - (out[i].text in _OPEN)
        if depth == 0:
            return i
    return 0


def _null_pointers(arguments: list[Token]) -> list[Token]:
    """NULL, copied into a variable, is a number: nullptr stays a pointer."""
    return [Token("name", "nullptr", token.line) if token.text == "NULL" else token for token in arguments]


def _without_comments(source: list[Token]) -> str:
    """Join the tokens; a comment leaves its line breaks."""
    return "".join(" " + "\n" * token.text.count("\n") if token.kind == "comment" else token.text for token in source)


def _shared_declaration(source: list[Token], at: int) -> int | None:
    """Return the end of the `__shared__` declaration that begins at `at`, or None."""
    first: int | None = at
    while first is not None and source[first].text in ("extern", "static"):
        first = _next_code(source, first + 1)
    if first is None or source[first].text != "__shared__":
        return None
    depth = 0
    for i in range(first, len(source)):
        depth += (source[i].text in _OPEN) - (source[i].text in _CLOSE)
        if depth == 0 and source[i].text == ";":
            return i + 1
    raise RewriteError(source[at].line, "the __shared__ declaration has no closing ;")


def _same_lines(text: str, source: list[Token]) -> Token:
    """Pad the text with line breaks to as many lines as the source has."""
    wanted = sum(token.text.count("\n") for token in source)
    return Token("operator", text + "\n" * (wanted - text.count("\n")), source[0].line)
