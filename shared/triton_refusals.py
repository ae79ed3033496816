"""What Triton's compiler says when it refuses a kernel: the student's line, the reason in a line, and what helps.

Pure text, without Triton: a worker finds the reason, the grader the words for it.
"""

from __future__ import annotations

import re

CONSTRUCT, LOOP, GLOBAL, NAME, FUNCTION, CONSTEXPR, BLOCK, OPTION, OTHER = KINDS = (
    "construct",
    "loop",
    "global",
    "name",
    "function",
    "constexpr",
    "block",
    "option",
    "other",
)

ADVICE = {
    CONSTRUCT: "Triton compiles a small part of Python: no import, try, lambda, dict, break, or return in a loop.",
    LOOP: "Give the variable before the loop the type that it has inside: `0.0` or `tl.zeros(…, tl.float32)`, not `0`.",
    GLOBAL: "Pass the constant as `NAME: tl.constexpr`, or write `NAME = tl.constexpr(…)` at the top of the file.",
    NAME: "Every branch must give a variable its value, and names come from the kernel's parameters or from `tl`.",
    FUNCTION: "A kernel calls functions of `tl`, and your own with @triton.jit; none of Python, numpy or torch.",
    CONSTEXPR: "The compiler must know it: pass it as `NAME: tl.constexpr`; the size of a block is a power of two.",
    BLOCK: "A block has no single elements and no truth value: use masks, `tl.where` and reductions such as `tl.sum`.",
    OPTION: "A launch takes the kernel's parameters and options such as `num_warps` and `num_stages`, nothing else.",
    OTHER: "",
}
"""What helps against each kind."""

_SIGNS = (
    (LOOP, r"^Loop-carried variable|has initial type .* but is re-assigned|but the .* block redefines it as"),
    (GLOBAL, r"^Cannot access global variable|^Global variable"),
    (FUNCTION, r"^Unsupported function referenced|has no attribute '(?:scalar|type)'"),
    (CONSTEXPR, r"must be (?:a power of 2|of type tl\.constexpr)|must be a constexpr"),
    (BLOCK, r"^unsupported tensor index|^Boolean value of Tensor|argument must be a .*number, not 'tensor'"),
    (
        CONSTRUCT,
        r"^unsupported AST node|^Cannot have `return`|^Cannot evaluate f-string|multiple assignment is not supp",
    ),
    (OPTION, r"^Keyword argument .* was specified but unrecognised"),
    (NAME, r"is not defined$"),
)
_OF_THE_TARGET = re.compile(r"(?:supported|support) (?:in|on) this (?:architecture|target|device)|compute capability")
_REPR = re.compile(r"[A-Za-z]+\((['\"])(.*)\1,?\)|'([^']*)'", re.DOTALL)  # of an exception, of a KeyError's text
_MAX_REASON = 300


def reason(text: str) -> str:
    """Triton's words in one line, without the exception that they were wrapped in and without addresses."""
    wrapped = _REPR.fullmatch(text.strip())
    line = " ".join((wrapped[2] or wrapped[3] if wrapped else text).split())
    line = re.split(r" Note that| Alternatively, set the envvar", line)[0]  # a switch that no grader sets
    return re.sub(r" at 0x[0-9a-f]+", "", line)[:_MAX_REASON]


def kind(said: str) -> str:
    """Which kind of refusal a reason tells."""
    return next((found for found, sign in _SIGNS if re.search(sign, said)), OTHER)


def is_of_the_target(said: str) -> bool:
    """Whether a newer device than the one that is compiled for may accept it."""
    return _OF_THE_TARGET.search(said) is not None


def line_of(source: str, number: int, text: str) -> int:
    """The line in the file `text` of line `number` of a function, whose `source` begins at its `def`; 0 if not there.

    Triton removes the decorators and the indentation of a function before it compiles it.
    """
    wanted = [row.strip() for row in source.rstrip().splitlines()]
    rows = [row.strip() for row in text.splitlines()]
    for start in range(len(rows) - len(wanted) + 1):
        if wanted and rows[start : start + len(wanted)] == wanted:
            return start + number
    return 0
