"""`__shared__` declarations into references to the memory of the block that runs."""

from __future__ import annotations

from shared.cuda.tokens import Token, is_code

_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class RewriteError(ValueError):
    """Text that no CUDA compiler accepts either; `line` counts from 1."""

    def __init__(self, line: int, reason: str) -> None:
        """Keep both as the exception's arguments, so that it can be pickled."""
        super().__init__(line, reason)
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


class UnreadableError(RewriteError):
    """Text that may be right but has a form that is not known here."""


def declare(declaration: list[Token]) -> str:
    """Return C++ for the tokens of one declaration, from its first word to its semicolon.

    `__shared__ float a[4], b;` becomes a typedef of both variables' types and, for each, a
    reference to memory that the runtime gives. An `extern` array refers to the dynamic memory.
    """
    line = declaration[0].line
    words = [token for token in declaration[:-1] if is_code(token)]
    is_extern = any(word.text == "extern" for word in words)
    words = _without_specifiers(words)
    parts = _split(words)
    names = [_declared_name(part, line) for part in parts]
    if parts[0][0] is names[0]:
        raise UnreadableError(line, "__shared__ must stand before the variable's type")
    if is_extern and not all(_is_unsized(part) for part in parts):
        raise UnreadableError(line, "an extern __shared__ variable must be an array without a size")
    references = " ".join(_reference(name.text, is_extern) for name in names)
    return f"typedef {_types(declaration[:-1], words, names)}; {references}"


def _types(declaration: list[Token], words: list[Token], names: list[Token]) -> str:
    """Join the words and the space between them, each declared name made that of a type."""
    kept = {id(word) for word in words}
    declared = {id(name) for name in names}
    text = ""
    for token in declaration:
        if id(token) in declared:
            text += _type_name(token)
        elif id(token) in kept or token.kind == "space":
            text += token.text
        else:
            text += " " + "\n" * token.text.count("\n")
    return text.strip(" ")


def _type_name(name: Token) -> str:
    return f"{name.text}_shared_type"


def _reference(name: str, is_extern: bool) -> str:
    type_ = f"{name}_shared_type"
    if is_extern:
        return f'{type_}& {name} = ::cuda_emulator::dynamic_shared<{type_}>("{name}");'
    return (
        f"static const char {name}_shared_key = 0; {type_}& {name} = "
        f'::cuda_emulator::shared<{type_}>(&{name}_shared_key, "{name}");'
    )


def _without_specifiers(words: list[Token]) -> list[Token]:
    """Drop the storage words, and alignments: the runtime aligns each variable to 128 bytes."""
    kept = []
    skip_until = -1
    for at, word in enumerate(words):
        if at <= skip_until or word.text in ("__shared__", "extern", "static"):
            continue
        if word.text in ("alignas", "__align__") and _is_alignment(words, at):
            skip_until = _closing(words, at + 1)
            continue
        kept.append(word)
    return kept


def _is_alignment(words: list[Token], at: int) -> bool:
    """Tell an alignment of the variable from one inside a struct's body or after `struct`."""
    depth = sum(_DEPTH.get(word.text, 0) for word in words[:at])
    follows_struct = at > 0 and words[at - 1].text in ("struct", "union", "class")
    return depth == 0 and not follows_struct


def _closing(words: list[Token], at: int) -> int:
    depth = 0
    for i in range(at, len(words)):
        depth += _DEPTH.get(words[i].text, 0)
        if depth == 0:
            return i
    return len(words) - 1


def _split(words: list[Token]) -> list[list[Token]]:
    """Split at the commas between declarators: outside brackets and template lists."""
    parts: list[list[Token]] = [[]]
    depth = 0
    angles = 0  # open template lists; inside brackets `<` may also compare or shift
    for word in words:
        depth += _DEPTH.get(word.text, 0)
        if depth == 0:
            angles += (word.text == "<") - (word.text == ">")
        if word.text == "," and depth == 0 and angles == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _declared_name(part: list[Token], line: int) -> Token:
    """Return the last name outside brackets: what stands before it is the type."""
    depth = 0
    found = None
    for word in part:
        if depth == 0 and word.text == "=":
            raise RewriteError(line, "a __shared__ variable cannot have an initial value")
        if depth == 0 and word.kind == "name":
            found = word
        depth += _DEPTH.get(word.text, 0)
    after = part[part.index(found) + 1 :] if found is not None else []
    if found is None or (after and after[0].text != "["):
        raise UnreadableError(line, "this form of __shared__ declaration is not known")
    return found


def _is_unsized(part: list[Token]) -> bool:
    texts = [word.text for word in part]
    return "[" in texts and texts[texts.index("[") + 1 :][:1] == ["]"]
